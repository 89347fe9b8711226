// The files of Apple Mail (.emlx): a line with the length of the mail in bytes, the mail, and a property list about it.

/** The line of the length. Apple Mail fills it up with spaces. */
const LENGTH_LINE = /^[ \t]*(\d{1,10})[ \t]*\r?\n/;
const PROPERTY_LIST = /^\s*(?:<\?xml|<!DOCTYPE plist|<plist|bplist)/;
/** The longest {@link LENGTH_LINE} that is looked for, and what is looked at of the property list. */
const MAX_LINE_BYTES = 64;

/** Returns the text after the line of the length; undefined where a file does not begin with one. */
export function afterLengthLine(head: string): string | undefined {
  const line = LENGTH_LINE.exec(head.slice(0, MAX_LINE_BYTES))?.[0];
  return line === undefined ? undefined : head.slice(line.length);
}

/** Returns the mail in a file of Apple Mail; undefined where the file is none, or does not hold as many bytes as it says. */
export function mailInEmlx(file: Buffer): Buffer | undefined {
  const found = LENGTH_LINE.exec(file.toString('latin1', 0, MAX_LINE_BYTES));
  if (found === null) return undefined;
  const begin = found[0].length;
  const end = begin + Number(found[1]);
  if (end > file.length) return undefined;
  const rest = file.toString('latin1', end, end + MAX_LINE_BYTES);
  return rest === '' || PROPERTY_LIST.test(rest) ? file.subarray(begin, end) : undefined;
}

/** Whether a file is a mail of Apple Mail whose files are in other files, beside it. */
export function isPartialEmlx(name: string): boolean {
  return /\.partial\.emlx$/i.test(name);
}
