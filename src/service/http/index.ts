// HTTP: a service on a port, its trusted proxies, its access log and its metrics.
export { createAccessLog, LOG_LEVELS, type AccessLog, type LogEntry } from './access-log.ts';
export { createMetrics, createMetricsService, type Metrics } from './metrics.ts';
export { parseTrustedProxies } from './peer.ts';
export { combineObservers, type PortObserver } from './port-observer.ts';
export { listen, type Listener, type PortOptions } from './port.ts';
export { addArchiveMetrics, addPoolMetrics } from './archive-metrics.ts';
