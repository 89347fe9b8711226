// The texts of the sample archive: stations, topics, openings and answers of a fictional network of observatories.

/** An observatory: its city label and position in degrees, and the person who writes for it. */
export type Station = { city: string; lat: number; lon: number; person: string; address: string };

/** The mailing list. */
export const LIST = {
  name: 'Meridian Chain',
  address: 'chain@meridian.example',
  id: 'chain.meridian.example',
};

/** The stations. Cities are labels (interface 2.1). */
export const STATIONS: readonly [Station, ...Station[]] = [
  { city: 'lisbon', lat: 38.7139, lon: -9.1394, person: 'Inês Carvalho', address: 'ines@lisbon.example' },
  { city: 'kyoto', lat: 35.0116, lon: 135.7681, person: 'Haruka Mori', address: 'haruka@kyoto.example' },
  { city: 'oslo', lat: 59.9139, lon: 10.7522, person: 'Sigrid Dahl', address: 'sigrid@oslo.example' },
  {
    city: 'valparaiso',
    lat: -33.0458,
    lon: -71.6197,
    person: 'Tomás Rojas',
    address: 'tomas@valparaiso.example',
  },
  {
    city: 'nairobi',
    lat: -1.2864,
    lon: 36.8172,
    person: 'Wanjiru Kamau',
    address: 'wanjiru@nairobi.example',
  },
  {
    city: 'reykjavik',
    lat: 64.1466,
    lon: -21.9426,
    person: 'Arnar Jónsson',
    address: 'arnar@reykjavik.example',
  },
  { city: 'hobart', lat: -42.8821, lon: 147.3272, person: 'Edie Marsh', address: 'edie@hobart.example' },
];

/** Fifteen topics with four openings each make sixty conversations. */
export const TOPICS = [
  'the long-tailed comet',
  'noctilucent clouds',
  'the meridian clock',
  'the dome motor',
  'zodiacal light',
  'the double star in Lyra',
  'the winter meteors',
  'the green flash',
  'the old transit circle',
  'Saturn at opposition',
  'the harbour lights',
  'a slow satellite',
  'the lunar occultation',
  'the glass plate cabinet',
  'airglow over the sea',
] as const;

/** How a conversation about a topic begins. */
type Opening = { title: (topic: string) => string; open: (topic: string, city: string) => string };

/** Subject and text of the first mail of a conversation. */
export const OPENINGS: readonly [Opening, ...Opening[]] = [
  {
    title: (topic) => `First plates of ${topic}`,
    open: (topic, city) =>
      `Dear all,\n\nthe sky over ${city} opened for forty minutes last night and we used every one of them. The first plates of ${topic} are attached; the second is a little soft, the wind took the slit.\n\nWould the next station in the dark please repeat the field?`,
  },
  {
    title: (topic) => `Timing of ${topic}`,
    open: (topic, city) =>
      `Colleagues,\n\nour times for ${topic} and yours differ by more than the clocks explain. From ${city} we read 0.8 s late, three nights in a row, always in the same sense.\n\nBefore anyone touches a screw: could each station send its raw log?`,
  },
  {
    title: (topic) => `Weather and ${topic}`,
    open: (topic, city) =>
      `Good evening from ${city}.\n\nCloud from the west until midnight, then clear and very still. If it holds we will give the whole night to ${topic}. If it does not, we shall polish the brass and write letters like this one.`,
  },
  {
    title: (topic) => `A question about ${topic}`,
    open: (topic, city) =>
      `Hello,\n\na schoolteacher in ${city} has asked us about ${topic}, and I noticed that I had no good answer either. Does one of you have a page that a patient twelve-year-old could follow?`,
  },
];

/** Texts of answers. */
export const ANSWERS: readonly [string, ...string[]] = [
  'Thank you. The field is repeated; our frame agrees with yours to a tenth of an arc second, which is better than we deserve in this wind.',
  'We were clouded out, but the log is attached all the same: an empty page is also a measurement.',
  'The offset has a simple cause. Our relay was set to the old ephemeris after the power cut. It is corrected from tonight.',
  'I disagree, gently. Look at the third column: the residual follows the temperature of the tube, not the star.',
  'Seen from here as well, low over the water and reddish. Two fishermen stopped and watched with us.',
  'The plate is drying. I shall send the scan in the morning; the negative goes into the cabinet, drawer nine.',
  'Please keep this one among ourselves until the others have looked. A single station is a rumour.',
  'Confirmed. Three stations, three clocks, one answer. I have entered it in the common book.',
  'For the twelve-year-old: imagine a lamp carried round a very dark field, and a friend who writes down when it goes out.',
  'The motor sings again. Somebody had put the grease of the kitchen door into it.',
  'Our students drew it by hand, as one did a hundred years ago, and the drawing shows what the sensor did not.',
  'A small correction to my last letter: for east read west. It was four in the morning.',
  'Then let us all look on the same night. I propose the new moon, at twenty hours universal time.',
  'The numbers are in the table. Please check the sign of the last row before you quote them.',
];

/** The line before the name of the sender. */
export const CLOSINGS: readonly [string, ...string[]] = [
  'Clear skies,',
  'With warm regards,',
  'Until the next dark night,',
  'Yours at the eyepiece,',
];

/** Why files are redacted. */
export const REDACTION_REASONS: readonly [string, ...string[]] = [
  'embargoed until all stations have looked',
  'shows a private person',
  'withheld by the station that sent it',
];
