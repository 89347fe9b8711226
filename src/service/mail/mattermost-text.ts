// The words of a Mattermost post: its text, and what integrations say in attachments, which have the form of Slack's.
import { slackText } from './slack-text.ts';

/** Returns the words of a post as exported, or null when it has none. */
export function mattermostText(post: unknown): string | null {
  const { message, props } = (typeof post === 'object' && post !== null ? post : {}) as Record<
    string,
    unknown
  >;
  const cards =
    typeof props === 'object' && props !== null ? (props as Record<string, unknown>)['attachments'] : [];
  return slackText({ text: message ?? '', attachments: cards });
}
