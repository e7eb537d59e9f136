"""Files at addresses such as `s3://bucket/name`, accessed through fsspec."""
