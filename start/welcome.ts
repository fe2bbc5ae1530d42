import type { Quickstart } from './quickstart.js';

/** Formats the addresses of a running service, with the first account's secrets where they are known. */
export function welcome(quickstart: Quickstart, dataDirectory: string): string {
  const { base_url, panel_url, email, password, api_key, grpc, ops_url, status_url } = quickstart;
  const key =
    api_key ??
    '(made at the first start; quickstart.json, which held it, is gone: npm run --silent admin -- key create)';
  const signIn = email === undefined ? '(see the API key)' : `${email}, password ${password ?? ''}`;
  return `
  Panel        ${panel_url}
  Sign in      ${signIn}
  REST API     ${base_url}
  API key      ${key}
  gRPC         device ${grpc.device}   screen ${grpc.screen}
               relay ${grpc.relay}   webhook ${grpc.webhook}
  Metrics      ${ops_url}/metrics   (also /livez, /readyz)
  Status page  ${status_url}
  Data         ${dataDirectory}   (addresses and key: quickstart.json)

Create a phone:

  curl -X POST ${base_url}/devices \\
    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
    -d '{"model": "phone-720p", "network": {"type": "direct", "country": "us"}, "plan": "minute"}'

`;
}
