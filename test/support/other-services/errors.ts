// Error bodies of other services: that of the interface, and four that are common elsewhere.

/** What went wrong. `code` is a word of the service's own choice. */
export type Problem = { status: number; code: string; message: string };

/** Body and content type of an error, and the status where it is another one. */
export type ErrorShape = (problem: Problem) => { body: string; type: string; status?: number };

const JSON_TYPE = 'application/json';
let problems = 0;

/** The body of the interface: `{error: {code, message, request_id, integrity}}`. */
export const interfaceErrors: ErrorShape = ({ code, message }) => {
  problems += 1;
  const error = { code, message, request_id: `req_${problems}`, integrity: 0.87 };
  return { body: JSON.stringify({ error }), type: JSON_TYPE };
};

/** JSON:API: `{errors: [{status, title, detail}]}`, numbers as text. */
export const jsonApiErrors: ErrorShape = ({ status, code, message }) => ({
  body: JSON.stringify({ errors: [{ status: String(status), code, title: code, detail: message }] }),
  type: 'application/vnd.api+json',
});

/** RFC 9457: `{type, title, status, detail}`. */
export const problemDocuments: ErrorShape = ({ status, message }) => ({
  body: JSON.stringify({ type: 'about:blank', title: message, status, detail: message }),
  type: 'application/problem+json',
});

/** An error whose HTTP status says that all is well. */
export const errorsWithSuccess: ErrorShape = ({ code, message }) => ({
  body: JSON.stringify({ ok: false, error: { code, message } }),
  type: JSON_TYPE,
  status: 200,
});

/** A page for browsers. */
export const htmlErrors: ErrorShape = ({ status, message }) => ({
  body: `<!doctype html><title>${status}</title><h1>${message}</h1>`,
  type: 'text/html; charset=utf-8',
});
