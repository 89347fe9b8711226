// Says how many files show no content type, where files of one type are asked for: whether they match cannot be told.
import type { App } from '../../app.ts';
import type { Query } from '../../client/index.ts';
import type { Attachment } from '../../contract/attachment.ts';
import { PAGE_LIMIT } from '../../contract/scalars.ts';
import { Fault } from '../../faults.ts';
import { sayLeftOut } from '../row-tests.ts';
import { attachmentTests, isExactType, LIST_WITHOUT_TYPE, type Tested } from './filter.ts';
import type { MessageFacts } from './message-facts.ts';

/** Pages that are read to find such files. Most archives have few, and nobody waits long for a notice. */
const MAX_PAGES = 10;

/** What the files were selected by. `messages`: only files of these. `facts` knows dates and senders. */
export type TypeSelection = {
  input: Tested & { message?: string | undefined; redacted?: 'yes' | 'no' | undefined };
  messages: ReadonlySet<string> | undefined;
  facts: MessageFacts | undefined;
};

/**
 * Says, for a content type that our service selects by, how many files show none although nothing else excludes them: those that
 * are withheld. Of other services, and for patterns, the rows of the list themselves tell.
 */
export async function sayWithoutType(
  { input, messages, facts }: TypeSelection,
  app: Pick<App, 'client' | 'world' | 'log' | 'strict' | 'notice' | 'addFault'>,
): Promise<void> {
  if (!isExactType(input.type) || input.redacted === 'no') return;
  const tests = attachmentTests({ ...input, type: undefined }, facts, messages, app.world.now());
  const matches = (row: Attachment): boolean => tests.every((test) => test.matches(row) !== false);
  const client = await app.client();
  let count = 0;
  let isAll = false;
  let after: Query = {};
  try {
    for (let pages = 0; pages < MAX_PAGES && !isAll && count === 0; pages += 1) {
      const { body } = await client.attachments({
        redacted: true,
        limit: PAGE_LIMIT.maximum,
        ...(input.message === undefined ? {} : { message_id: input.message }),
        ...after,
      });
      await facts?.add(body.data);
      count += body.data.filter(matches).length;
      after = { starting_after: body.data.at(-1)?.id };
      isAll = body.has_more !== true;
    }
  } catch (error) {
    if (!(error instanceof Fault) || error.kind === 'interrupted') throw error;
    // The files that match were listed, so this is no fault of the run.
    app.log(`cannot tell how many files show no type: ${error.message}`);
  }
  if (count > 0) sayLeftOut({ column: 'type', count, isAll, command: LIST_WITHOUT_TYPE }, app);
}
