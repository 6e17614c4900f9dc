"""Uses boto3, AWS's own client, with a service that has an empty bucket "photos".

boto3_client.py ENDPOINT KEY-ID SECRET AUTHORITY: AUTHORITY is a file with the certificate to trust,
or empty.
"""

import base64, hashlib, sys
import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

endpoint, key_id, secret, authority = sys.argv[1:5]
s3 = boto3.client(
    "s3", endpoint_url=endpoint, aws_access_key_id=key_id, aws_secret_access_key=secret,
    region_name="us-east-1", verify=authority or None,
    config=Config(s3={"addressing_style": "path"}, retries={"total_max_attempts": 1}),
)

def fails(code, call, **arguments):
    try:
        call(**arguments)
    except ClientError as error:
        assert error.response["Error"]["Code"] == code, error
    else:
        raise AssertionError(f"no {code}")

name = {"Bucket": "photos", "Key": "a b+c/é"}
body = bytes(range(256)) * 300
for more in ({}, {"ChecksumAlgorithm": "SHA256"}, {"ChecksumAlgorithm": "SHA1"}):
    s3.put_object(**name, Body=body, Metadata={"epoch": "7"}, **more)
    found = s3.get_object(**name, ChecksumMode="ENABLED")
    assert found["Body"].read() == body
    assert found["Metadata"] == {"epoch": "7"}, found
fails("PreconditionFailed", s3.put_object, **name, Body=b"x", IfNoneMatch="*")
fails("NoSuchKey", s3.get_object, Bucket="photos", Key="none")

name = {"Bucket": "photos", "Key": "parts"}
upload = {**name, "UploadId": s3.create_multipart_upload(**name, ChecksumAlgorithm="SHA256")["UploadId"]}
parts, pieces = [], {2: b"a" * (5 << 20), 7: b"tail"}
for number, piece in pieces.items():
    answer = s3.upload_part(**upload, PartNumber=number, Body=piece, ChecksumAlgorithm="SHA256")
    digest = base64.b64encode(hashlib.sha256(piece).digest()).decode()
    assert answer.get("ChecksumSHA256", digest) == digest, answer
    parts.append({"PartNumber": number, "ETag": answer["ETag"], "ChecksumSHA256": digest})
listed = s3.list_multipart_uploads(Bucket="photos")["Uploads"]
assert [u["Key"] for u in listed] == ["parts"], listed
s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts}, IfNoneMatch="*")
assert s3.get_object(**name)["Body"].read() == b"".join(pieces.values())
keys = [o["Key"] for o in s3.list_objects_v2(Bucket="photos")["Contents"]]
assert keys == ["a b+c/é", "parts"], keys
fails("NoSuchUpload", s3.list_parts, **upload)
s3.delete_object(**name)
print("agreed")
