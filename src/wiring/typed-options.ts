// Says options in what a service answers about the parameters that they set.
import { OPTION_OF_PARAMETER } from '../command-list/shared-options.ts';
import { Fault } from '../faults.ts';

/** Parameters of the interface that an option of another command than a list sets. */
const OTHERS: Readonly<Record<string, string>> = {
  client_id: '--client-id',
  observer_tier: '--observer-tier',
  requested_tier: '--requested-tier',
  limit: '--limit',
};

/**
 * Returns the error with the options that were typed in place of the parameters, where a service answered: `--after: msg_9 is not an id of this list`.
 * A parameter whose name is an ordinary word is one only at the beginning, before a colon.
 */
export function namingOptions(error: unknown, argv: readonly string[]): unknown {
  if (!(error instanceof Fault) || error.detail.status === undefined) return error;
  let { message } = error;
  for (const [parameter, option] of Object.entries({ ...OPTION_OF_PARAMETER, ...OTHERS })) {
    if (!argv.some((word) => word === option || word.startsWith(`${option}=`))) continue;
    if (parameter.includes('_')) message = message.replaceAll(parameter, option);
    else if (message.startsWith(`${parameter}:`)) message = option + message.slice(parameter.length);
  }
  return message === error.message ? error : new Fault(error.kind, message, error.detail);
}
