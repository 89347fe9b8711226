// What the benches of copies and of buckets need of the tests: a database of their own, and a server of S3.
export { serveBucket } from '../support/bucket-server.ts';
export { ownCluster as startDatabase } from '../support/own-cluster.ts';
