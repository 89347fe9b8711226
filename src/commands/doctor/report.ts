// The report on a service: examines it with the token of this run, and decides whether it could be examined.
import type { App } from '../../app.ts';
import { checkBaseUrl } from '../../client/wrong-base-url.ts';
import { EXAMINED_LISTS, type ServiceFinding, type ServiceReport } from '../../contract/reports/service.ts';
import { loginCommand } from '../../config/session.ts';
import { Fault } from '../../faults.ts';
import { createExaminer, type Examiner } from './examiner.ts';
import { findingsOf } from './findings.ts';
import { withoutSecrets } from '../shared/without-secrets.ts';
import { answerOf } from './settle.ts';
import { examineService, NOTHING_SEEN, type ServiceFacts } from './service.ts';

/**
 * Examines the service at the base URL. Returns the report, with the findings about this installation first, and the Fault
 * of a service that cannot be reached, refuses the token or is no archive service, or that could not be examined to the
 * end. Throws only where the run is interrupted, or the given token cannot be read.
 */
export async function reportOnService(
  baseUrl: URL,
  installation: readonly ServiceFinding[],
  app: App,
): Promise<{ report: ServiceReport; fault?: Fault }> {
  const { settings, world } = app;
  const begun = world.monotonic();
  const token = await tokenOf(app);
  const secrets = await (await app.session()).knownSecrets();
  const examiner = createExaminer({
    baseUrl,
    transport: await app.apiTransport(),
    token: token.text,
    secrets,
    retries: settings.retries.value,
    timeoutMs: settings.timeout.value * 1000,
    world,
    log: app.log,
  });
  const { facts, fault } = await examine(examiner, app).finally(examiner.close);
  const examined = {
    version: 1 as const,
    base_url: baseUrl.href.replace(/\/$/, ''),
    outcome: outcomeOf(fault),
    stopped: examiner.notes.stopped,
    requests: examiner.notes.requests,
    elapsed_ms: Math.round(world.monotonic() - begun),
    ...(withoutSecrets(facts, secrets, isOfService) as ServiceFacts),
    auth: { token: token.state, ...facts.auth },
  };
  const reason: ServiceFinding[] =
    fault === undefined || fault.kind === 'auth' || fault.kind === 'partial'
      ? []
      : [{ about: 'service', check: 'service', verdict: 'fail', found: fault.message, meaning: null }];
  return {
    report: {
      ...examined,
      findings: [...installation, ...reason, ...findingsOf(examined, loginCommand(app.settings))],
    },
    ...(fault === undefined ? {} : { fault }),
  };
}

async function examine(examiner: Examiner, app: App): Promise<{ facts: ServiceFacts; fault?: Fault }> {
  try {
    const openFiles = () => {
      // Without a configured address of files, the health record is asked for it.
      if (app.settings.asset_url.value === undefined) examiner.count();
      return app.fileAccess();
    };
    const facts = await examineService(examiner, openFiles, app.world);
    const fault = faultOf(facts, examiner, app);
    return { facts, ...(fault === undefined ? {} : { fault }) };
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    return { facts: NOTHING_SEEN, fault: error };
  }
}

/** Returns the Fault of a service that shows no list, or could not be examined to the end. */
function faultOf({ lists }: ServiceFacts, examiner: Examiner, app: App): Fault | undefined {
  const states = EXAMINED_LISTS.map((name) => lists[name].state);
  const { stopped, failure, serverErrors, isUniform } = examiner.notes;
  if (isUniform && !states.includes('read'))
    return new Fault('protocol', 'this is no archive service: it gives the same answer to every request', {
      hint: checkBaseUrl(),
    });
  if (states.some(isRead))
    return stopped === null ? undefined : new Fault('partial', `the examination ended early: ${stopped}`);
  const hint = loginCommand(app.settings);
  if (states.includes('needs_token')) {
    return examiner.hasToken
      ? new Fault('auth', 'the service refuses the token, so no list was examined', { hint })
      : new Fault('auth', 'no list was examined: the service needs a token', { hint });
  }
  if (states.includes('forbidden'))
    return new Fault('forbidden', 'no list was examined: the tier or scope of the token does not allow it');
  if (failure !== null) return failure;
  if (serverErrors > 0) return new Fault('busy', 'no list was examined: the service answers with errors');
  return new Fault('protocol', 'this is no archive service: it has none of the lists', {
    hint: checkBaseUrl(),
  });
}

function isRead(state: string): boolean {
  return state === 'read' || state === 'empty';
}

function outcomeOf(fault: Fault | undefined): ServiceReport['outcome'] {
  switch (fault?.kind) {
    case undefined:
    case 'partial':
      return 'examined';
    case 'auth':
    case 'forbidden':
      return 'unauthorized';
    case 'protocol':
      return 'no_archive';
    default:
      return 'unreachable';
  }
}

/** Returns the token of this run. Without a usable one, what needs no token is still examined. */
async function tokenOf(
  app: App,
): Promise<{ text: string | undefined; state: ServiceReport['auth']['token'] }> {
  const session = await app.session();
  try {
    return { text: (await session.bearer()).token, state: 'sent' };
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted' || error.kind === 'usage') throw error;
    const stored = await answerOf(() => app.tokens.get(session.origin, app.settings.profile.value));
    return { text: undefined, state: error.kind === 'auth' && stored === undefined ? 'none' : 'unusable' };
  }
}

/** Fields of the facts that hold words of the service, themselves or inside. Every other text is ours. */
const FIELDS_OF_SERVICE = new Set(
  'service version id names has_more next paged_by left_out code tiers sources rate_limit_headers'.split(' '),
);

/** `rows` is the place of the rows of a list, and elsewhere what was found about rows. */
const isOfService = (name: string, value: unknown): boolean =>
  FIELDS_OF_SERVICE.has(name) || (name === 'rows' && typeof value === 'string');
