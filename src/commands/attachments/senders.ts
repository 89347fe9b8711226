// `arx attachments senders`: counts the files of each sender, who is named in the list of messages.
import type * as z from 'zod';
import type { App } from '../../app.ts';
import { sendersOf } from './catalogue.ts';
import { Input, listCounts } from './counts.ts';

export { Input };

export function run(input: z.infer<typeof Input>, app: App): Promise<void> {
  const named = async (messages: readonly string[]): Promise<ReadonlyMap<string, string>> => {
    const progress = app.progress();
    const onPage = (done: number): void =>
      progress.update({ label: 'reading senders of messages', done, unit: 'pages' });
    const { senders, fault } = await sendersOf(messages, app, onPage).finally(() => progress.end());
    if (fault !== undefined) app.addFault(fault);
    return senders;
  };
  return listCounts('sender', ({ message_id: id }) => id ?? null, input, app, named);
}
