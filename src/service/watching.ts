// The door to what a service tells of itself: its log and its figures.
export { createJournal, LOG_LEVELS, type Entry, type Journal } from './journal.ts';
export { createMetrics, createMetricsService, type Metrics } from './metrics.ts';
export { watchQueue } from './queue-figures.ts';
export { bothOf, type PortWatch } from './watch.ts';
