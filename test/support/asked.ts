// A sample archive with a token for each tier, and requests with these tokens.
import type { Tier } from '../../src/contract/tier.ts';
import { sampleArchive, tokenFor, type Sample } from './archive.ts';
import { call, type Answer, type CallOptions } from './call.ts';

export type Asked = {
  sample: Sample;
  tokens: Record<Tier, string>;
  /** As `internal`, where neither tier nor token is given. */
  ask(target: string, options?: CallOptions & { tier?: Tier }): Promise<Answer>;
};

export async function askedByTier(): Promise<Asked> {
  const sample = await sampleArchive({ conversations: 10, messages: 3, attachments: 60, mirrorEvery: 7 });
  const tokens = {
    external: await tokenFor(sample.service, 'external'),
    internal: await tokenFor(sample.service, 'internal'),
    mirror: await tokenFor(sample.service, 'mirror'),
  };
  return {
    sample,
    tokens,
    ask: (target, { tier = 'internal', ...options } = {}) =>
      call(sample.service, target, { token: tokens[tier], ...options }),
  };
}
