"""Files at addresses such as `s3://bucket/name`, by fsspec."""
