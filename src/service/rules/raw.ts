// The stored bytes of a message as a reader sees them: headers in order and decoded text; never throws, whatever the bytes.

export type RawText = { headers: [name: string, value: string][]; text: string | null; html: string | null };

const NOTHING: RawText = { headers: [], text: null, html: null };

/**
 * rfc822 through the MIME parser; the text of a Slack message; the description of a file as it is. `withheld` are the
 * hashes of files of which nothing may be read: only a mail holds its files within.
 */
export async function readRaw(
  format: 'rfc822' | 'slack' | 'file',
  bytes: Uint8Array,
  withheld: ReadonlySet<string> = new Set(),
): Promise<RawText> {
  if (format === 'rfc822' && withheld.size > 0) {
    const { withoutFiles } = await import('./withheld.ts');
    return readMail(withoutFiles(bytes, withheld));
  }
  if (format === 'rfc822') return readMail(bytes);
  const source = new TextDecoder().decode(bytes);
  return { ...NOTHING, text: format === 'file' ? source : slackText(source) };
}

async function readMail(bytes: Uint8Array): Promise<RawText> {
  const { default: PostalMime } = await import('postal-mime');
  try {
    const mail = await PostalMime.parse(bytes);
    return {
      headers: mail.headers.map(({ originalKey, value }) => [originalKey, value]),
      text: mail.text ?? null,
      html: mail.html ?? null,
    };
  } catch {
    // The parser has its limits of depth and size; what it refuses is still there as bytes.
    return NOTHING;
  }
}

function slackText(source: string): string | null {
  try {
    const record = JSON.parse(source) as { text?: unknown; message?: { text?: unknown } } | null;
    const text = record?.text ?? record?.message?.text;
    return typeof text === 'string' ? text : null;
  } catch {
    return null;
  }
}
