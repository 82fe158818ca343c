//! AWS Signature Version 4 of a form that is posted to `/`, which is all that STS is asked.

use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use crate::storage::s3::Keys;

/// What is signed besides the keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    /// As in the `host` header: with the port unless it is the scheme's own.
    pub(super) host: &'a str,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
    pub(super) content_type: &'a str,
    pub(super) body: &'a str,
    pub(super) at: OffsetDateTime,
}

/// The values of the headers `x-amz-date` and `authorization`.
pub(super) fn sign(request: &Request<'_>, keys: &Keys) -> (String, String) {
    let Request { host, region, service, content_type, body, at } = *request;
    let day = format!("{:04}{:02}{:02}", at.year(), u8::from(at.month()), at.day());
    let stamp = format!("{day}T{:02}{:02}{:02}Z", at.hour(), at.minute(), at.second());
    let signed = "content-type;host;x-amz-date";
    let canonical = format!(
        "POST\n/\n\ncontent-type:{content_type}\nhost:{host}\nx-amz-date:{stamp}\n\n{signed}\n{}",
        hex::encode(Sha256::digest(body))
    );
    let scope = format!("{day}/{region}/{service}/aws4_request");
    let text = format!("AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{}", hex::encode(Sha256::digest(canonical)));
    let secret = format!("AWS4{}", keys.secret_access_key);
    let key = [day.as_str(), region, service, "aws4_request"]
        .into_iter()
        .fold(secret.into_bytes(), |key, part| code(&key, part));
    let signature = hex::encode(code(&key, &text));
    let id = &keys.access_key_id;
    (
        stamp,
        format!("AWS4-HMAC-SHA256 Credential={id}/{scope}, SignedHeaders={signed}, Signature={signature}"),
    )
}

/// An authentication code of `text`.
fn code(key: &[u8], text: &str) -> Vec<u8> {
    #[expect(clippy::unwrap_used, reason = "an HMAC takes a key of any length")]
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    /// The case `post-x-www-form-urlencoded` of the test suite that AWS published for this signature.
    #[test]
    fn the_signature_is_that_of_the_published_example() {
        let keys = Keys {
            access_key_id: "AKIDEXAMPLE".into(),
            secret_access_key: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY".into(),
            session_token: None,
        };
        let request = Request {
            host: "example.amazonaws.com",
            region: "us-east-1",
            service: "service",
            content_type: "application/x-www-form-urlencoded",
            body: "Param1=value1",
            at: datetime!(2015-08-30 12:36:00 UTC),
        };
        let (stamp, authorization) = sign(&request, &keys);
        assert_eq!(stamp, "20150830T123600Z");
        assert_eq!(
            authorization,
            "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, \
             SignedHeaders=content-type;host;x-amz-date, \
             Signature=ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        );
    }
}
