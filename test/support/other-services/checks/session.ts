// Checks of tokens, events, health, doctor and plain GET requests.
import { tokenFor } from '../other-routes.ts';
import { must, mustRefuse, mustSucceed, saidBy, TOKEN, type Check, type Context } from './check.ts';

const LOGIN = 'login --client-id reader --observer-tier internal --requested-tier internal';
const EVENT = `message.reordered --payload '{"id":"msg_7","entry":"entry_7","sequence":19}'`;

/** Throws unless the event is at the service exactly `times` times. */
function mustHave({ service }: Context, id: string, times: number): void {
  const found = service.events.filter((one) => one['id'] === id).length;
  must(found === times, `the service has the event ${found} times`);
}

/** A part of what the doctor says about a list. */
type Examined = { filters: Record<string, string>; cursors: { starting_after: string } };

/** Checks of everything that is not a list or a file. */
export const SESSION_CHECKS: readonly Check[] = [
  {
    commands: ['login'],
    name: 'login: then whoami, token, a list and logout',
    async run({ arx }) {
      const own = { token: '' };
      const ran = await arx(`${LOGIN} --json`, own);
      mustSucceed(ran);
      must(!/other-[0-9a-f]{9}/.test(ran.stdout + ran.stderr), 'the token is printed');
      must(/read:messages/.test(ran.stdout), 'the scopes are not shown');
      const who = await arx('whoami --json', own);
      must(who.exit === 0, `whoami: ${saidBy(who)}`);
      must(/-420/.test(who.stdout), 'whoami: no timeline offset');
      const token = await arx('token', own);
      must(token.stdout.trim() === TOKEN, `token: ${saidBy(token)}`);
      const list = await arx('conversations ls --limit 1', own);
      must(list.exit === 0, `list: ${saidBy(list)}`);
      const out = await arx('logout', own);
      must(out.exit === 0, `logout: ${saidBy(out)}`);
      mustRefuse(await arx('whoami', own), [4]);
    },
  },
  {
    commands: ['login'],
    name: 'login: refused by the tier',
    async run({ arx }) {
      const line = 'login --client-id reader --observer-tier external --requested-tier mirror';
      mustRefuse(await arx(line, { token: '' }), [5], /tier|external|permitted|403/);
    },
  },
  {
    commands: ['whoami'],
    name: 'whoami: without a token',
    async run({ arx }) {
      mustRefuse(await arx('whoami', { token: '' }), [4], /login/);
    },
  },
  {
    commands: ['token'],
    name: 'token: a list without one, with a wrong one, without the scope',
    async run({ arx, variant }) {
      mustRefuse(await arx('conversations ls', { token: '' }), [4]);
      const rough = variant.faults.rough > 0 ? [9, 10] : [];
      mustRefuse(await arx('conversations walk', { token: 'wrong' }), [4, ...rough]);
      mustRefuse(await arx('conversations ls', { token: tokenFor(['read:attachments']) }), [5, ...rough]);
    },
  },
  {
    commands: ['logout'],
    name: 'logout: without a token',
    async run({ arx }) {
      must([0, 4].includes((await arx('logout', { token: '' })).exit), 'another exit code');
    },
  },
  {
    commands: ['events send'],
    name: 'events send: one, and the same once more',
    async run(context) {
      const { arx, service, variant } = context;
      const id = `evt_${service.requests.length}`;
      const line = `events send ${EVENT} --id ${id} --json`;
      const ran = await arx(line);
      if (variant.acknowledgements === 'not accepted') {
        must(ran.exit !== 0, 'exit 0 for an event that was not accepted');
        return mustRefuse(ran, [7]);
      }
      mustSucceed(ran);
      mustHave(context, id, 1);
      must(ran.stdout.includes(id) && ran.stdout.includes('queued'), 'the acknowledgement is not shown');
      mustSucceed(await arx(line));
      mustHave(context, id, 1);
    },
  },
  {
    commands: ['events send'],
    name: 'events send: a file of them',
    async run(context) {
      const { arx, service, variant } = context;
      const ids = [1, 2, 3].map((one) => `file_${service.requests.length}_${one}`);
      const stdin = ids
        .map((id) => JSON.stringify({ id, type: 'mirror.detected', payload: { layer: 'x' } }))
        .join('\n');
      const ran = await arx('events send --file - -o ndjson', { stdin });
      if (variant.acknowledgements === 'not accepted') {
        must(ran.exit !== 0, 'exit 0 for events that were not accepted');
        return;
      }
      mustSucceed(ran);
      for (const id of ids) mustHave(context, id, 1);
    },
  },
  {
    commands: ['events types'],
    name: 'events types: without a request',
    async run({ arx, service }) {
      const before = service.requests.length;
      mustSucceed(await arx('events types'));
      must(service.requests.length === before, 'it asked the service');
    },
  },
  {
    commands: ['events ls'],
    name: 'events ls: a list that the interface does not have',
    async run({ arx }) {
      mustRefuse(await arx('events ls'), [6, 10, 11], /events/);
    },
  },
  {
    commands: ['events reconcile'],
    name: 'events reconcile: without a list of events',
    async run({ arx, service, variant }) {
      if (variant.acknowledgements === 'not accepted') return;
      await arx(`events send ${EVENT} --id evt_reconcile_${service.requests.length}`);
      mustRefuse(await arx('events reconcile'), [6, 8, 10, 11], /events/);
    },
  },
  {
    commands: ['health'],
    name: 'health: whatever its shape',
    async run({ arx, variant }) {
      const ran = await arx('health --json', { token: '' });
      if (variant.health === 'object') {
        mustSucceed(ran);
        must(/"up"/.test(ran.stdout), 'the status is not shown');
      } else if (ran.exit !== 0) mustRefuse(ran, [11]);
    },
  },
  {
    commands: ['doctor'],
    name: 'doctor: with the service',
    async run({ arx, variant }) {
      const ran = await arx('doctor --json');
      const report = JSON.parse(ran.stdout) as {
        stopped: string | null;
        transport: { cut: number };
        lists: Record<string, Examined>;
      };
      if (variant.faults.drift > 0 || variant.faults.rough > 0)
        return must([0, 3, 8].includes(ran.exit), saidBy(ran));
      mustSucceed(ran);
      must(report.stopped === null, `stopped: ${report.stopped}`);
      must(report.transport.cut === 0, 'answers that are whole are called cut');
      const { filters, cursors } = report.lists['attachments']!;
      const filter = { honoured: 'honoured', ignored: 'ignored', partly: 'partly', wrongly: 'partly' }[
        variant.filters
      ];
      must(variant.whole || filters['origin_city'] === filter, `origin_city: ${filters['origin_city']}`);
      const isFollowed =
        !variant.whole && !variant.cursors.opaque && !variant.cursorless.includes('attachments');
      must(
        isFollowed === (cursors.starting_after === 'honoured'),
        `starting_after: ${cursors.starting_after}`,
      );
    },
  },
  {
    commands: ['api'],
    name: 'api: the body as received',
    async run({ arx, service, variant }) {
      const ran = await arx('api "/v1/conversations?limit=2"');
      mustSucceed(ran);
      const { threads } = service.archive;
      const first = threads.at(variant.order === 'newest first' ? -1 : 0)!;
      if (variant.faults.drift === 0) must(ran.stdout.includes(first.title), 'another body');
      mustRefuse(await arx('api /v1/nothing'), variant.faults.rough > 0 ? [6, 9, 10] : [6]);
    },
  },
  {
    commands: ['about api'],
    name: 'about api: without a request',
    async run({ arx, service }) {
      const before = service.requests.length;
      mustSucceed(await arx('about api'));
      must(service.requests.length === before, 'it asked the service');
    },
  },
];

/** Words and exit code of commands that never ask a service. */
const LOCAL_COMMANDS: [words: string, line: string, exit: number][] = [
  ['import', 'import .', 2],
  ['redact', 'redact --yes att_1', 2],
  ['fsck', 'fsck', 2],
  ['backup', 'backup --to copy', 2],
  ['archive copy', 'archive copy sqlite:none sqlite:copy', 6],
  ['blobs move', 'blobs move --to database', 2],
  ['tokens ls', 'tokens ls', 2],
  ['tokens revoke', 'tokens revoke --all --yes', 2],
  // They take databases of PostgreSQL alone.
  ['archive ls', 'archive ls sqlite:none', 2],
  ['archive create', 'archive create sqlite:none new', 2],
  ['archive move', 'archive move sqlite:none sqlite:other old --yes', 2],
  ['archive upgrade', 'archive upgrade sqlite:none', 2],
  ['archive drop', 'archive drop sqlite:none old --yes', 2],
  // There is no archive on this machine.
  ['serve', 'serve --port 0 --read-only', 6],
  ['config set', 'config set retries 2', 0],
  ['config get', 'config get retries', 0],
  ['config unset', 'config unset retries', 0],
  ['config ls', 'config ls', 0],
  ['config path', 'config path', 0],
  ['profile use', 'profile use default', 0],
  ['profile ls', 'profile ls', 0],
  // There is no such profile, which is known before it would be asked.
  ['profile rm', 'profile rm work --yes', 2],
  ['completion', 'completion bash', 0],
  ['help', 'help exit-codes', 0],
];

/** Checks that commands which work on this machine alone send no request, also where a base URL is set. */
export const LOCAL_CHECK: Check = {
  commands: LOCAL_COMMANDS.map(([words]) => words),
  name: 'commands for this machine: without a request',
  async run({ arx, service }) {
    const before = service.requests.length;
    for (const [words, line, exit] of LOCAL_COMMANDS) {
      const ran = await arx(line);
      must(ran.exit === exit, `${words}: ${saidBy(ran)}`);
    }
    must(service.requests.length === before, 'one of them asked the service');
  },
};
