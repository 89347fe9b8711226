// GET /api/sequence/{name}: reported positions beside checked positions (interface 4.4). The shape is our choice.
import { ARC_RECONSTRUCTION, MIRROR_RELAY, type SentSequence } from '../../contract/sequence.ts';
import { ApiError } from '../rules/api-error.ts';
import { idOf, numberOf } from '../rules/identifier.ts';
import { statusOf } from '../rules/integrity.ts';
import { mayRead } from '../rules/tiers.ts';
import { messagePosition } from '../store/lists/messages.ts';
import {
  countDisplacedEvents,
  countEvents,
  readMessagePositions,
  readEvents,
} from '../store/lists/sequence.ts';
import { eventKeyOf } from './events.ts';
import { ok, type Call, type Reply } from './call.ts';
import { readPage } from './list.ts';
import type { ListSource } from './list-source.ts';
import { windowOf } from './list-window.ts';
import { scopeMissing } from './authenticator.ts';
import { eventStatusOf, payloadOf } from '../records/event.ts';

/**
 * Returns a page of positions in checked order. Cursors are entries. `mirror_relay` also needs the scope read:mirror.
 * Throws ApiError `not_found` for an unknown name, `scope_missing`.
 */
export async function sequence(call: Call): Promise<Reply> {
  const name = call.parameters['name']!;
  if (name === ARC_RECONSTRUCTION) return ok(await arcReconstruction(call));
  if (name !== MIRROR_RELAY) throw new ApiError('not_found', 'no sequence has this name');
  if (!call.bearer.scope.includes('read:mirror')) throw scopeMissing('read:mirror');
  return ok(await mirrorRelay(call));
}

/** Messages: `reported` is the position that they claim, `checked` their number by arrival. */
async function arcReconstruction(call: Call): Promise<SentSequence> {
  const { database } = call.archive;
  const { messages, displaced } = call.summary;
  return pageOf(call, ARC_RECONSTRUCTION, messages, displaced, {
    async keyOf(entry) {
      const n = numberOf('entry', entry);
      if (n === undefined) return 'malformed';
      return (await messagePosition(database, n)) && [n];
    },
    async read(span) {
      const { rows, has_more } = await readMessagePositions(database, span);
      const positions = rows.map(({ n, sequence: reported, source, failed, tier }) =>
        positionOf(idOf('entry', n), reported, n, {
          message_id: idOf('msg', n),
          ...(mayRead(call.bearer.tier, tier)
            ? { source, status: statusOf(failed) }
            : { status: 'withheld' }),
        }),
      );
      return { rows: positions, has_more };
    },
  });
}

/** Events: `reported` is their number by arrival, `checked` the rank in which they were applied (by arrival while they wait). */
async function mirrorRelay(call: Call): Promise<SentSequence> {
  const { database } = call.archive;
  const displaced = await countDisplacedEvents(call.archive);
  return pageOf(call, MIRROR_RELAY, await countEvents(database), displaced, {
    keyOf: (id) => eventKeyOf(database, id),
    async read(span) {
      const { rows, has_more } = await readEvents(database, span);
      const positions = rows.map((row) => {
        const payload = payloadOf(row);
        const id = payload === undefined ? undefined : (JSON.parse(payload) as { id?: unknown }).id;
        return positionOf(row.id, row.n, row.applied ?? row.n, {
          message_id: row.type === 'message.reordered' && typeof id === 'string' ? id : null,
          source: 'gateway',
          status: eventStatusOf(row.effect),
        });
      });
      return { rows: positions, has_more };
    },
  });
}

/** A position with the id that is its cursor. */
type ListedPosition = { id: string; position: SentSequence['data'][number] };

function positionOf(
  entry: string,
  reported: number,
  checked: number,
  rest: Pick<SentSequence['data'][number], 'message_id' | 'source' | 'status'>,
): ListedPosition {
  return { id: entry, position: { entry, ...rest, reported, checked, offset: reported - checked } };
}

async function pageOf(
  call: Call,
  name: string,
  total: number,
  displaced: number,
  source: ListSource<ListedPosition>,
): Promise<SentSequence> {
  const { rows, has_more } = await readPage(call, source, windowOf(call.query));
  return {
    name,
    status: displaced === 0 ? 'stable' : 'partial',
    total,
    displaced,
    drift_ratio: call.driftRatio(),
    integrity: call.summary.integrity,
    has_more,
    data: rows.map(({ position }) => position),
  };
}
