// The door to what a service tells of itself: its log and its figures.
export { createJournal, LOG_LEVELS, type Entry, type Journal } from './access-log.ts';
export { createMetrics, createMetricsService, type Metrics } from './metrics.ts';
export { watchQueue } from './queue-metrics.ts';
export { bothOf, type PortWatch } from './port-observer.ts';
