import type { Places, Secrets } from './quickstart.js';

/** The text that is printed when everything has started. */
export function welcome(mesh: Places, dataDirectory: string, quickstart: Secrets | undefined): string {
  const key =
    quickstart?.api_key ??
    '(made at the first start; quickstart.json, which held it, is gone: npm run --silent admin -- key create)';
  const signIn =
    quickstart === undefined ? '(see the API key)' : `${quickstart.email}, password ${quickstart.password}`;
  return `
Cloud phones are ready.

  REST API     ${mesh.url}/v1
  API key      ${key}
  Sign in      ${signIn}
  gRPC         device ${mesh.grpc.device}   screen ${mesh.grpc.screen}
               relay ${mesh.grpc.relay}   webhook ${mesh.grpc.webhook}
  Metrics      ${mesh.opsUrl}/metrics   (also /livez, /readyz)
  Data         ${dataDirectory}   (addresses and key: quickstart.json)

Create a phone:

  curl -X POST ${mesh.url}/v1/devices \\
    -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" \\
    -d '{"model": "phone-720p", "network": {"type": "direct", "country": "us"}, "plan": "minute"}'

`;
}
