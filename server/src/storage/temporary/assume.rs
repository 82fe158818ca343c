//! Asking STS to assume a role, in the API of AWS that other stores speak as well.

use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use url::Url;

use super::{Session, signature};
use crate::clock;
use crate::storage::address::{Connector, Rule};
use crate::storage::s3::{Address, Keys};

/// How long keys live.
const LIFE: Duration = Duration::from_hours(1);
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// How long an answer may take, that included.
const PATIENCE: Duration = Duration::from_secs(10);
/// An answer holds four short texts and a token.
const MOST_BYTES: usize = 64 * 1024;
const FORM: &str = "application/x-www-form-urlencoded";

/// The role of a storage, and what is needed to assume it.
#[derive(Debug, Clone, Copy)]
pub(in crate::storage) struct Authority<'a> {
    pub(in crate::storage) address: &'a Address,
    pub(in crate::storage) role: &'a str,
    pub(in crate::storage) keys: &'a Keys,
    pub(in crate::storage) rule: Rule,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "AssumeRoleResult")]
    result: Outcome,
}

#[derive(Deserialize)]
struct Outcome {
    #[serde(rename = "Credentials")]
    credentials: Credentials,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Credentials {
    access_key_id: String,
    secret_access_key: String,
    session_token: String,
    expiration: String,
}

/// What STS says when it refuses. Only its code is looked at.
#[derive(Deserialize)]
struct Refusal {
    #[serde(rename = "Error")]
    error: Option<Code>,
    #[serde(rename = "Code")]
    code: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    #[serde(rename = "Code")]
    code: String,
}

impl Authority<'_> {
    /// Where STS is asked: at the store itself, or at AWS's own for the region.
    fn endpoint(&self) -> String {
        match (&self.address.endpoint, self.region()) {
            (Some(endpoint), _) => endpoint.clone(),
            (None, region) if region.starts_with("cn-") => format!("https://sts.{region}.amazonaws.com.cn"),
            (None, region) => format!("https://sts.{region}.amazonaws.com"),
        }
    }

    fn region(&self) -> &str {
        self.address.region.as_deref().unwrap_or("us-east-1")
    }

    /// Keys under a session policy, or why there are none.
    pub(super) async fn assume(&self, session: &str, policy: &Value) -> Result<Session, String> {
        let endpoint = self.endpoint();
        // Names are checked again as they are resolved; addresses written as numbers only here.
        let url = self
            .rule
            .endpoint("endpoint", &endpoint)
            .await
            .map_err(|_| "its address may not be used, or its host was not found".to_owned())?;
        let body = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("Action", "AssumeRole")
            .append_pair("Version", "2011-06-15")
            .append_pair("RoleArn", self.role)
            .append_pair("RoleSessionName", session)
            .append_pair("DurationSeconds", &LIFE.as_secs().to_string())
            .append_pair("Policy", &policy.to_string())
            .finish();
        let asked_at_ms = clock::now_ms();
        let (status, bytes) = tokio::time::timeout(PATIENCE, self.post(&url, body))
            .await
            .map_err(|_| "it did not answer within 10 s".to_owned())??;
        let text = String::from_utf8_lossy(&bytes);
        if status.is_success() {
            return read(&text, asked_at_ms);
        }
        let code = refusal(&text);
        tracing::warn!(%status, code, role = self.role, "a storage's role could not be assumed");
        Err(words(&code, status))
    }

    async fn post(&self, url: &Url, body: String) -> Result<(http::StatusCode, Vec<u8>), String> {
        let unreachable = |error: reqwest::Error| {
            tracing::warn!(error = %error.without_url(), "a storage's STS could not be asked");
            "it could not be reached".to_owned()
        };
        let host = url.host_str().unwrap_or_default();
        let host = url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
        let request = signature::Request {
            host: &host,
            region: self.region(),
            service: "sts",
            content_type: FORM,
            body: &body,
            at: OffsetDateTime::now_utc(),
        };
        let (stamp, authorization) = signature::sign(&request, self.keys);
        let client = Connector(self.rule).builder().connect_timeout(CONNECT).build().map_err(unreachable)?;
        let mut answer = client
            .post(url.clone())
            .header(http::header::CONTENT_TYPE, FORM)
            .header("x-amz-date", stamp)
            .header(http::header::AUTHORIZATION, authorization)
            .body(body)
            .send()
            .await
            .map_err(unreachable)?;
        let status = answer.status();
        let mut bytes = Vec::new();
        while let Some(part) = answer.chunk().await.map_err(unreachable)? {
            if bytes.len() + part.len() > MOST_BYTES {
                return Err("its answer is too long".to_owned());
            }
            bytes.extend_from_slice(&part);
        }
        Ok((status, bytes))
    }
}

fn read(text: &str, asked_at_ms: i64) -> Result<Session, String> {
    let unusable = || "its answer holds no keys with a time at which they end".to_owned();
    let answer: Answer = quick_xml::de::from_str(text).map_err(|_| unusable())?;
    let Credentials { access_key_id, secret_access_key, session_token, expiration } =
        answer.result.credentials;
    let expires_at = OffsetDateTime::parse(&expiration, &Rfc3339).map_err(|_| unusable())?;
    let expires_at_ms = expires_at.unix_timestamp() * 1000;
    // Keys that never end, or have ended, are no temporary keys.
    let longest = i64::try_from(LIFE.as_millis()).unwrap_or(i64::MAX) * 2;
    let life = expires_at_ms - asked_at_ms;
    let whole = [&access_key_id, &secret_access_key, &session_token].iter().all(|text| !text.is_empty());
    if !whole || life <= 0 || life > longest {
        return Err(unusable());
    }
    let keys = Keys { access_key_id, secret_access_key, session_token: Some(session_token) };
    Ok(Session { keys, asked_at_ms, expires_at_ms })
}

/// The code of a refusal, which some stores give without the outer element.
fn refusal(text: &str) -> String {
    let code = quick_xml::de::from_str::<Refusal>(text).ok();
    let code = code.and_then(|refusal| refusal.error.map(|error| error.code).or(refusal.code));
    code.unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).take(64).collect()
}

/// What an admin can do about a refusal.
fn words(code: &str, status: http::StatusCode) -> String {
    match code {
        "AccessDenied" | "AccessDeniedException" => {
            "this server's keys may not assume the role. Check the role's trust policy".to_owned()
        }
        "InvalidClientTokenId" | "InvalidAccessKeyId" | "SignatureDoesNotMatch" => {
            "this server's keys were not accepted".to_owned()
        }
        "MalformedPolicyDocument" | "PackedPolicyTooLarge" => {
            "it did not take the session's policy. A long location may not fit one".to_owned()
        }
        _ => format!("it answered with status {}", status.as_u16()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: i64 = 1_796_094_000_000;

    fn answer(expiration: &str) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<AssumeRoleResponse \
             xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><AssumeRoleResult><AssumedRoleUser>\
             <Arn>arn:x</Arn></AssumedRoleUser><Credentials><AccessKeyId>ASIA1</AccessKeyId>\
             <SecretAccessKey>s&amp;cret</SecretAccessKey><SessionToken>to+k/en=</SessionToken>\
             <Expiration>{expiration}</Expiration></Credentials></AssumeRoleResult>\
             <ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></AssumeRoleResponse>"
        )
    }

    #[test]
    fn an_answer_gives_keys_with_an_end() {
        let session = read(&answer("2026-12-01T04:00:00Z"), ASKED).unwrap();
        assert_eq!(session.keys.access_key_id, "ASIA1");
        assert_eq!(session.keys.secret_access_key, "s&cret");
        assert_eq!(session.keys.session_token.as_deref(), Some("to+k/en="));
        assert_eq!(session.expires_at_ms, 1_796_097_600_000);
        assert!(!format!("{session:?}").contains("cret"));
    }

    #[test]
    fn keys_that_have_ended_or_hardly_ever_end_are_refused() {
        for expiration in ["2026-12-01T02:00:00Z", "2027-12-01T04:00:00Z", "soon"] {
            assert!(read(&answer(expiration), ASKED).is_err(), "{expiration}");
        }
        assert!(read("<html>Sign in</html>", ASKED).is_err());
    }

    #[test]
    fn a_refusal_says_what_to_look_at_and_repeats_nothing() {
        let nested = "<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code>\
                      <Message>user x in 10.0.0.1</Message></Error></ErrorResponse>";
        let bare = "<Error><Code>SignatureDoesNotMatch</Code><Message>m</Message></Error>";
        assert_eq!(refusal(nested), "AccessDenied");
        assert_eq!(refusal(bare), "SignatureDoesNotMatch");
        assert_eq!(refusal("not xml"), "");
        let said = words(&refusal(nested), http::StatusCode::FORBIDDEN);
        assert!(said.contains("trust policy") && !said.contains("10.0.0.1"));
        assert!(words("", http::StatusCode::BAD_GATEWAY).contains("502"));
    }

    #[test]
    fn aws_is_asked_in_the_storages_region() {
        let keys = Keys { access_key_id: "a".into(), secret_access_key: "b".into(), session_token: None };
        let mut address = Address { endpoint: None, region: None, path_style: false, root: "lake".into() };
        let endpoint = |address: &Address| {
            let rule = Rule { allow_private: false };
            Authority { address, role: "arn:aws:iam::1:role/r", keys: &keys, rule }.endpoint()
        };
        assert_eq!(endpoint(&address), "https://sts.us-east-1.amazonaws.com");
        address.region = Some("cn-north-1".into());
        assert_eq!(endpoint(&address), "https://sts.cn-north-1.amazonaws.com.cn");
        address.endpoint = Some("http://store:8333".into());
        assert_eq!(endpoint(&address), "http://store:8333");
    }
}
