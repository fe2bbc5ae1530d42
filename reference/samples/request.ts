/** The value of a parameter. */
export type Value = string | number | boolean;

/** The request of a sample: an operation with the values of its example, or one that a person has filled in. */
export interface SampleRequest {
  /** Upper case. */
  method: string;
  /** The path with its values, percent-encoded, but without the version, which the base URL has. */
  path: string;
  /** The path as the API document has it, such as /v1/devices/{name}. */
  template: string;
  pathValues: Record<string, Value>;
  query: Record<string, Value | readonly Value[]>;
  headers: Record<string, string>;
  /** Who may send it: a key and a session, a session alone, or anyone. */
  access: 'key' | 'session' | 'anyone';
  body: { kind: 'none' } | { kind: 'json'; value: unknown } | { kind: 'file'; name: string; type: string };
  result: SampleResult;
}

/**
 * The result of a request. `isJob`: the JSON is a job to wait for. `hasCookie`: the response sets a cookie that signs in. `model`: the
 * schema of the JSON; undefined where it is not known.
 */
export type SampleResult =
  | { kind: 'none' | 'socket' | 'events' }
  | { kind: 'json'; model: string | undefined; isJob: boolean; hasCookie: boolean }
  | { kind: 'file'; name: string };

/** The stream of events for which this project's clients have a method. */
export const EVENTS = '/v1/events';

/** The result of a request whose response is JSON of an unknown model. */
export const ANY_JSON: SampleResult = { kind: 'json', model: undefined, isJob: false, hasCookie: false };

/** Returns the path with its query, as it is sent. */
export function addressOf({ path, query }: SampleRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value]
      .flat()
      .map((one) => `${name}=${encodeURIComponent(String(one)).replaceAll('%2F', '/').replaceAll('%3A', ':')}`),
  );
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}
