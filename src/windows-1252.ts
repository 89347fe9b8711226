// The decoder of windows-1252 as the Encoding Standard has it. Some versions of Node decode it as ISO 8859-1, where the bytes 80 to 9F
// are control characters: “ ” ’ € – … were lost (issue 56542 of Node; seen with 20.20.2).

/** The characters of the bytes 80 to 9F. Five bytes have none, and stay control characters. */
const CHARACTERS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const FIRST = 0x80;

/** TextDecoder, also for libraries that take the one of Node. Where that is right, nothing is changed: it makes none of these characters. */
export class StandardTextDecoder extends TextDecoder {
  override decode(...input: Parameters<InstanceType<typeof TextDecoder>['decode']>): string {
    const text = super.decode(...input);
    return this.encoding === 'windows-1252'
      ? text.replaceAll(/[\u0080-\u009f]/g, (character) => CHARACTERS[character.charCodeAt(0) - FIRST]!)
      : text;
  }
}
