//! The policy of a session: one table's folder, and what may be done there.

use serde_json::{Value, json};

use super::Access;

/// The policy document for the objects below `prefix` in an S3 bucket. The role's own policies still count:
/// what is allowed is what both allow. None for a folder that a policy cannot name: `${` begins a variable.
pub(super) fn document(partition: &str, bucket: &str, prefix: &str, access: Access) -> Option<Value> {
    if bucket.is_empty() || prefix.is_empty() || prefix.contains("${") || prefix.contains(['*', '?']) {
        return None;
    }
    let mut objects = vec!["s3:GetObject"];
    let mut listings = vec!["s3:ListBucket"];
    if access == Access::Write {
        objects.extend([
            "s3:PutObject",
            "s3:DeleteObject",
            "s3:AbortMultipartUpload",
            "s3:ListMultipartUploadParts",
        ]);
        listings.push("s3:ListBucketMultipartUploads");
    }
    let store = format!("arn:{partition}:s3:::{bucket}");
    Some(json!({
        "Version": "2012-10-17",
        "Statement": [
            { "Effect": "Allow", "Action": objects, "Resource": [format!("{store}/{prefix}/*")] },
            {
                "Effect": "Allow",
                "Action": listings,
                "Resource": [store],
                // Without the slash the names of a table beside this one would be listed.
                "Condition": { "StringLike": { "s3:prefix": [format!("{prefix}/*")] } },
            },
        ],
    }))
}

/// The partition that a role's ARN is in: `aws`, `aws-cn`, … ; `aws` for stores that have none.
pub(super) fn partition(role: &str) -> &str {
    role.split(':').nth(1).filter(|partition| partition.starts_with("aws")).unwrap_or("aws")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn actions(access: Access) -> Vec<String> {
        let document = document("aws", "lake", "vision/ns/t", access).unwrap();
        let statements = document["Statement"].as_array().unwrap();
        let actions = statements.iter().flat_map(|one| one["Action"].as_array().unwrap());
        actions.map(|action| action.as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_reader_reads_and_lists_and_an_editor_writes_too() {
        assert_eq!(actions(Access::Read), ["s3:GetObject", "s3:ListBucket"]);
        let more = actions(Access::Write);
        for action in ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"] {
            assert!(more.iter().any(|one| one == action), "{action}");
        }
        assert!(more.iter().all(|action| !action.contains('*') && action.starts_with("s3:")), "{more:?}");
    }

    #[test]
    fn a_policy_names_one_folder_and_nothing_beside_it() {
        let document = document("aws-cn", "lake", "vision/ns/t", Access::Write).unwrap();
        let [objects, listings] = document["Statement"].as_array().unwrap().as_slice() else { panic!() };
        assert_eq!(objects["Resource"], json!(["arn:aws-cn:s3:::lake/vision/ns/t/*"]));
        assert_eq!(listings["Resource"], json!(["arn:aws-cn:s3:::lake"]));
        assert_eq!(listings["Condition"], json!({ "StringLike": { "s3:prefix": ["vision/ns/t/*"] } }));
    }

    #[test]
    fn what_a_policy_would_read_as_a_pattern_gets_no_policy() {
        for prefix in ["", "a/*", "a/${aws:username}", "a?b"] {
            assert_eq!(document("aws", "lake", prefix, Access::Read), None, "{prefix}");
        }
        assert!(document("aws", "lake", "a$b/{c}", Access::Read).is_some());
    }

    #[test]
    fn the_partition_is_the_roles() {
        assert_eq!(partition("arn:aws-us-gov:iam::1:role/r"), "aws-us-gov");
        assert_eq!(partition("arn:minio:iam:::role/r"), "aws");
    }
}
