// Writes src/contract/README.md: the interface section by section, from the same facts that `arx about api` prints.
import { FACTS, SECTIONS } from './facts/index.ts';

const INTRODUCTION = `# The interface of the archive service

This file is generated from \`src/contract/facts/\` by \`npm run generate\`. \`arx about api\` prints the same facts.

The interface document from which arx was built leaves many things "not shown". Each section below says what that document states
(**Documented**) and what our service does where the document is silent (**Our choice**). A client must not rely on our choices:
other services may choose differently.

A comment such as \`(interface 4.7)\` anywhere in this repository means the section with that number here. The exact shapes
are in \`schemas/\` (JSON Schema) and \`openapi.json\`; there every field is marked \`documented\` or \`assumption\`.
`;

/** Returns the whole README as Markdown, with one heading for each section of the interface. */
export function contractReadme(): string {
  return [INTRODUCTION, ...[...SECTIONS].map(sectionText)].join('\n');
}

function sectionText([section, title]: [number: string, title: string]): string {
  const depth = section.includes('.') ? '###' : '##';
  return [
    `${depth} ${section} ${escaped(title)}\n`,
    ...factList(section, 'documented', 'Documented'),
    ...factList(section, 'assumption', 'Our choice'),
  ].join('\n');
}

function factList(section: string, origin: 'documented' | 'assumption', title: string): string[] {
  const facts = FACTS.filter((fact) => fact.section === section && fact.origin === origin);
  if (facts.length === 0) return [];
  return [`${title}:\n`, ...facts.map(({ topic, fact }) => `- **${escaped(topic)}**: ${escaped(fact)}`), ''];
}

/** Text in which Markdown finds no markup. */
function escaped(text: string): string {
  return text.replaceAll(/[*<>[\]]/g, (mark) => `\\${mark}`);
}
