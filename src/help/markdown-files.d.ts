// Markdown files are imported as their text: the build and the test runner see to it.
declare module '*.md' {
  const text: string;
  export default text;
}
