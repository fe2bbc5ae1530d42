import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { ApiError, UNAUTHORIZED_MESSAGE } from '../kit/errors/api-error.js';
import type { Authenticate } from '../kit/rpc/caller.js';
import { CallerSchema } from '../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../proto/gen/cloudphone/api/v1/route_pb.js';
import { type EdgeWorld, startEdge } from '../testing/edge-world.js';
import { shareTokenIn } from './callers/credential.js';
import { urlCompleter } from './routes/url-field.js';

const TOKEN = `sh_${'a'.repeat(43)}`;

describe('links of shares at the edge', () => {
  let world: EdgeWorld;
  const open = async (options: Parameters<typeof startEdge>[1] = {}): Promise<void> => {
    world = await startEdge({ share: { createShare: () => ({ share: { url: `/share#${TOKEN}` } }) } }, options);
  };
  afterEach(() => world.close());

  const linkOf = async (headers: Record<string, string> = {}): Promise<string> => {
    const init = {
      method: 'POST',
      body: '{"access":"read"}',
      headers: { 'content-type': 'application/json', ...headers },
    };
    const { share } = (await (await world.call('/v1/devices/demo/shares', init)).json()) as { share: { url: string } };
    return share.url;
  };

  it('are on the address by which the request came', async () => {
    await open();
    expect(await linkOf()).to.equal(`${world.base}/share#${TOKEN}`);
    // The link does not have the client's claim.
    expect(await linkOf({ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' })).to.equal(
      `${world.base}/share#${TOKEN}`,
    );
  });

  it('are https behind a proxy that has it, and on the public URL where there is one', async () => {
    await open({ behindProxy: true });
    expect(await linkOf({ 'x-forwarded-proto': 'https' })).to.equal(
      `${world.base.replace('http', 'https')}/share#${TOKEN}`,
    );
    await world.close();
    await open({ publicUrl: new URL('https://phones.example.com/') });
    expect(await linkOf()).to.equal(`https://phones.example.com/share#${TOKEN}`);
  });

  it('give their token to WebSockets alone, and to none beside another protocol', async () => {
    const authenticate: Authenticate = async (authorization) => {
      if (authorization !== `Bearer ${TOKEN}`) throw new ApiError('unauthorized', UNAUTHORIZED_MESSAGE);
      return create(CallerSchema, { accountId: 'acc_1', keyId: 'shr_1', scope: Scope.READ, sharedPhoneId: 'ph_1' });
    };
    await open({ authenticate });
    const protocols = { 'sec-websocket-protocol': `cloudphone.share, ${TOKEN}` };
    expect((await fetch(`${world.base}/v1/share`, { headers: protocols })).status).to.equal(401);
    expect((await fetch(`${world.base}/v1/share`, { headers: { authorization: `Bearer ${TOKEN}` } })).status).to.equal(
      404,
    );
    expect(shareTokenIn(protocols)).to.equal(TOKEN);
    for (const offered of [
      TOKEN,
      `${TOKEN}, cloudphone.share`,
      `cloudphone.share, ${TOKEN}, x`,
      'cloudphone.share',
      `cloudphone.share, cp_${'a'.repeat(43)}`,
    ]) {
      expect(shareTokenIn({ 'sec-websocket-protocol': offered }), offered).to.equal(undefined);
    }
    expect(shareTokenIn({})).to.equal(undefined);
  });

  it('are completed only where the contract names a text', async () => {
    await open();
    const { rpc } = world.gateway.routes.find((route) => route.rpc.name === 'CreateShare')!;
    for (const path of ['share', 'share.created_at', 'share.nothing', 'nothing.url', 'share.url.more']) {
      expect(() => urlCompleter(rpc, path), path).to.throw(`url_field ${path} is not a text of the response`);
    }
  });
});
