// One line of the table of `arx doctor`.
import type { ServiceFinding } from '../../contract/reports/service.ts';

/** Returns a finding. Without a meaning there is nothing more to say. */
export function finding(
  about: string,
  check: string,
  verdict: ServiceFinding['verdict'],
  found: string,
  meaning: string | null = null,
): ServiceFinding {
  return { about, check, verdict, found, meaning };
}
