// The parts of undici that are used. The build makes a file of them, so that commands on the local archive do not read them.
export { default as connect } from 'undici/lib/api/api-connect.js';
export { default as request } from 'undici/lib/api/api-request.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
