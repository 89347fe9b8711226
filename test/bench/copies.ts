// What the bench of copies needs of the tests: a database of its own.
export { ownCluster as startDatabase } from '../support/own-cluster.ts';
