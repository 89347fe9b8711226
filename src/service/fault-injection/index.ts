// Fault injection: a plan of faults for a test service, and the parsers of its options.
export { createFaultPlan, type FaultLogEntry, type FaultOptions } from './create-fault-plan.ts';
export { parseVariants } from './list-variants.ts';
export {
  parseDrift,
  parseLists,
  parseRatio,
  parseSeed,
  parseTransportFaults,
  parseWrites,
} from './options.ts';
