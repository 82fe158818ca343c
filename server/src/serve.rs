//! The accept loop: HTTP/1.1 with a deadline for headers, and an orderly end.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::extract::connect_info::Connected;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tower::ServiceExt as _;

use crate::router;
use crate::state::App;

/// A connection that has not sent its headers by then is closed; so is one idle between requests.
const HEADER_DEADLINE: Duration = Duration::from_secs(20);
/// How long requests in flight may take once the server was told to stop.
const DRAIN_DEADLINE: Duration = Duration::from_secs(10);
/// Open connections; more wait in the listener's queue.
const MOST_CONNECTIONS: usize = 4096;

/// Serves until `stop` ends, then lets requests in flight finish, for at most ten seconds.
///
/// # Errors
/// When the listener can no longer accept.
pub async fn serve(
    app: &Arc<App>,
    listener: TcpListener,
    stop: impl Future<Output = ()>,
) -> std::io::Result<()> {
    let router = router::build(app);
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut stop = pin!(stop);
    loop {
        let place = tokio::select! {
            () = &mut stop => break,
            place = Arc::clone(&places).acquire_owned() => place,
        };
        let (socket, peer) = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of file handles, most likely: others may close theirs soon.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                }
            },
        };
        let _ = socket.set_nodelay(true);
        let service = router.clone().map_request(move |mut request: http::Request<hyper::body::Incoming>| {
            request.extensions_mut().insert(ConnectInfo(Peer(peer)));
            request.map(axum::body::Body::new)
        });
        let service = hyper_util::service::TowerToHyperService::new(service);
        let connection = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_DEADLINE)
            .max_buf_size(64 * 1024)
            .serve_connection(TokioIo::new(socket), service);
        let watched = graceful.watch(connection);
        tokio::spawn(async move {
            let _place = place;
            // A client that goes away mid-answer is its own affair.
            let _ = watched.await;
        });
    }
    drop(listener);
    app.stopping();
    tokio::select! {
        () = graceful.shutdown() => {}
        () = tokio::time::sleep(DRAIN_DEADLINE) => tracing::warn!("requests were still running after the deadline"),
    }
    app.stopped().await;
    Ok(())
}

/// The address a connection came from; handlers take `ConnectInfo<Peer>`.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

impl Connected<SocketAddr> for Peer {
    fn connect_info(peer: SocketAddr) -> Self {
        Self(peer)
    }
}
