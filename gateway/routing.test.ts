import { expect } from 'chai';
import { type EdgeWorld, startEdge } from '../testing/edge-world.js';

describe('routes of the edge', () => {
  let world: EdgeWorld;
  let seen: string[] = [];
  before(async () => {
    world = await startEdge({
      device: {
        getDevice: ({ name }) => {
          seen.push(name);
          return { device: { name } };
        },
        listDevices: ({ state, limit }) => ({ devices: [], nextCursor: `${state} ${limit}` }),
        deleteDevice: ({ name }) => ({ job: { device: name } }),
      },
      model: { listModels: () => ({ models: [] }) },
    });
  });
  after(() => world.close());
  beforeEach(() => {
    seen = [];
  });

  it('are those of the descriptors: every rpc with an HTTP rule, and no other', () => {
    const routes = world.gateway.routes.map(({ method, template }) => `${method} ${template}`);
    expect(routes).to.include.members(['POST /v1/devices', 'GET /v1/jobs/{id}', 'POST /v1/devices/{name}/act']);
    expect(routes).to.have.length(new Set(routes).size);
    expect(world.gateway.routes.map(({ rpc }) => rpc.name)).not.to.include('StreamLogs');
  });

  const names: [written: string, read: string][] = [
    ['phone-1', 'phone-1'],
    ['a%2Fb', 'a/b'],
    ['%C3%A9%20%3F', 'é ?'],
    ['a+b', 'a+b'],
    ['%25zz', '%zz'],
    ['..%2f', '../'],
    [':name', ':name'],
    ['a;b=c', 'a;b=c'],
  ];
  for (const [written, read] of names) {
    it(`take ${written} in a path as ${JSON.stringify(read)}`, async () => {
      const response = await world.call(`/v1/devices/${written}`);
      expect(response.status).to.equal(200);
      expect(seen).to.deep.equal([read]);
    });
  }

  for (const path of ['/v1/devices/%', '/v1/devices/%zz', '/v1/devices/%ff', '/v1/devices/%c3']) {
    it(`refuse ${path} as bad_request`, async () => {
      const response = await world.call(path);
      expect(response.status).to.equal(400);
      expect(await response.json()).to.have.property('error', 'bad_request');
    });
  }

  for (const path of [
    '/v1',
    '/v1/',
    '/v2/devices',
    '/v1/devices/',
    '/v1/devices//start',
    '/v1/devices/a/',
    '/v1/Devices',
    '/V1/devices',
    '//v1/devices',
    '/v1/devices/a/start/x',
    '/v1/unknown%',
    '/cloudphone.device.v1.DeviceService/GetDevice',
  ]) {
    it(`do not have ${path}: 404, with and without a key`, async () => {
      for (const response of [await world.call(path), await fetch(world.base + path)]) {
        expect(response.status).to.equal(404);
        expect(await response.json()).to.have.property('error', 'not_found');
      }
    });
  }

  for (const [method, path, allow] of [
    ['PUT', '/v1/devices', 'GET, HEAD, POST'],
    ['PUT', '/v1/devices/a', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/v1/devices/a/start', 'POST'],
    ['HEAD', '/v1/devices/a/start', 'POST'],
    ['OPTIONS', '/v1/models', 'GET, HEAD'],
  ] as const) {
    it(`respond to ${method} ${path} with 405 and Allow: ${allow}`, async () => {
      const response = await fetch(world.base + path, { method });
      expect(response.status).to.equal(405);
      expect(response.headers.get('allow')).to.equal(allow);
      if (method !== 'HEAD') expect(await response.json()).to.have.property('error', 'method_not_allowed');
    });
  }

  it('respond to HEAD as to GET, without the body', async () => {
    const [get, head] = [await world.call('/v1/devices/a'), await world.call('/v1/devices/a', { method: 'HEAD' })];
    expect(head.status).to.equal(200);
    expect(head.headers.get('content-length')).to.equal(get.headers.get('content-length'));
    expect(await head.text()).to.equal('');
  });

  it('fill the request from the query, and respond with the status of the route', async () => {
    const list = await world.call('/v1/devices?state=running&limit=3');
    expect(await list.json()).to.deep.equal({ devices: [], next_cursor: '4 3' });
    const removal = await world.call('/v1/devices/a', { method: 'DELETE' });
    expect(removal.status).to.equal(202);
    expect(await removal.json()).to.have.nested.property('job.device', 'a');
  });

  it('refuse unknown query parameters, also the name that stands in the path', async () => {
    for (const path of ['/v1/models?x=1', '/v1/devices/a?name=b', '/v1/devices?State=running']) {
      expect((await world.call(path)).status, path).to.equal(400);
    }
  });

  it('cannot be reached as rpcs from outside', async () => {
    const response = await world.call('/cloudphone.access.v1.AccessService/Authenticate', {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    });
    expect(response.status).to.equal(404);
  });
});
