import { getOption } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { createValidator } from '@bufbuild/protovalidate';
import { AccessService } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { resource } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { openApi, type OpenApi } from '../../testing/openapi.js';
import type { RoutedMethod } from '../../gateway/routes/route.js';
import { fieldsElsewhere } from './operation.js';
import { tagsOf } from './tags.js';

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: { name: string; in: string; required: boolean; example?: unknown; schema: object }[];
  requestBody?: { content: Record<string, { example?: Record<string, unknown> }> };
  responses: Record<string, { $ref?: string; content?: Record<string, { example?: unknown }> }>;
}

describe('the OpenAPI document', () => {
  let api: OpenApi;
  let operations: [name: string, operation: Operation][];
  before(() => {
    api = openApi();
    const paths = api.document['paths'] as Record<string, Record<string, Operation>>;
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );
  });

  it('has every route and no other', () => {
    const routes = api.routes.map(({ method, template }) => `${method} ${template}`);
    expect(operations.map(([name]) => name)).to.have.members(routes);
    expect(routes.length).to.be.greaterThan(50);
  });

  it('has every resource in one group, with a name for people', () => {
    const tags = api.document['tags'] as { name: string; 'x-displayName': string }[];
    const groups = api.document['x-tagGroups'] as { name: string; tags: string[] }[];
    const used = new Set(operations.flatMap(([, operation]) => operation.tags));
    expect(groups.flatMap((group) => group.tags)).to.have.members([...used]);
    expect(tags.map(({ name }) => name)).to.deep.equal(groups.flatMap((group) => group.tags));
    expect(groups.map(({ name }) => name)).to.deep.equal([
      ...['Phones', 'Screen', 'Apps and files', 'Fleet', 'Events', 'Account'],
    ]);
    const names = tags.map((tag) => tag['x-displayName']);
    expect(new Set(names)).to.have.length(tags.length);
    const single = names.filter((name) => !name.endsWith('s'));
    expect(single, 'without a plural').to.have.members(['Health', 'Usage', 'Ledger']);
  });

  it('has no place for a service whose contract names none', () => {
    const [rpc] = AccessService.methods;
    expect(() => tagsOf([{ ...api.routes[0]!, rpc: rpc as RoutedMethod }])).to.throw(
      'cloudphone.access.v1.AccessService: it has routes, but no option `resource`',
    );
  });

  it('has one position for each resource of a group', () => {
    const places = [...new Set(api.routes.map(({ rpc }) => rpc.parent))].map((service) => {
      const { group, position } = getOption(service, resource);
      return `${group}.${position}`;
    });
    expect(new Set(places)).to.have.length(places.length);
  });

  it('describes every operation, with an identifier of its own', () => {
    for (const [name, { summary, description, tags }] of operations) {
      expect(summary, name).to.match(/^[A-Z][\w. ]{2,30}$/);
      expect(description, name).to.include('**Callers:**');
      expect(tags, name).to.have.length(1);
    }
    const ids = operations.map(([, { operationId }]) => operationId);
    expect(new Set(ids)).to.have.length(ids.length);
  });

  it('describes every field, with its limits', () => {
    const schemas = api.document['components'].schemas as Record<
      string,
      { properties?: Record<string, { description: string }> }
    >;
    for (const [name, { properties = {} }] of Object.entries(schemas)) {
      for (const [field, { description }] of Object.entries(properties))
        expect(description, `${name}.${field}`).not.to.equal('');
    }
    expect(schemas)
      .to.have.nested.property('CreateGroupBody.properties.devices')
      .that.includes({ minItems: 1, maxItems: 200 });
    expect(schemas)
      .to.have.nested.property('EnableAdbBody.properties.lifetime_s')
      .that.includes({ minimum: 1, maximum: 604800 });
    expect(schemas).to.have.nested.property('ExitChoice.properties.type.enum').that.does.not.include('custom');
    expect(schemas).to.have.nested.property('CreateDeviceBody.required').that.has.members(['network', 'plan']);
    expect(schemas).to.have.nested.property('CreateDeviceBody.properties.name.pattern', '^[a-z][a-z0-9-]{0,39}$');
    expect(schemas)
      .to.have.nested.property('CreateDeviceBody.properties')
      .that.does.not.have.property('idempotency_key');
  });

  it('has the patterns that the service checks, so that clients let through what it takes', () => {
    for (const schema of ['CreateDeviceBody', 'UpdateDeviceBody', 'CreateGroupBody', 'CreateKeyBody']) {
      const validate = api.validatorAt(`/components/schemas/${schema}/properties/labels`);
      expect(validate({ ring: '1', 'team.a': 'qa x' }), `${schema}: ${JSON.stringify(validate.errors)}`).to.equal(true);
      for (const labels of [{ ring: 'two\nlines' }, { Ring: '1' }]) expect(validate(labels)).to.equal(false);
      // An empty value removes a label.
      expect(validate({ ring: '' }), schema).to.equal(schema === 'UpdateDeviceBody');
    }
    const name = api.validatorAt('/components/schemas/CreateKeyBody/properties/name');
    expect([name('ci 1x'), name('c\r\ni'), name('')]).to.deep.equal([true, false, false]);
  });

  it('has examples of requests that the service takes', () => {
    const validator = createValidator();
    for (const route of api.routes) {
      const name = `${route.method} ${route.template}`;
      const operation = operations.find(([own]) => own === name)![1];
      const placed = (place: string): Map<string, string> =>
        new Map(
          (operation.parameters ?? [])
            .filter((parameter) => parameter.in === place && parameter.example !== undefined)
            .map((parameter) => [parameter.name, String(parameter.example)]),
        );
      for (const { required, example } of operation.parameters ?? [])
        if (required) expect(example, name).not.to.equal(undefined);
      const json = operation.requestBody?.content['application/json']?.example;
      const request = route.readRequest({
        params: Object.fromEntries(placed('path')),
        query: new URLSearchParams([...placed('query')]).toString(),
        headers: Object.fromEntries([...placed('header')].map(([header, value]) => [header.toLowerCase(), value])),
        body: json === undefined ? undefined : mapsOf(json),
      });
      if (json !== undefined) {
        const validate = api.validatorAt(`/components/schemas/${schemaOf(api, name)}`);
        expect(validate(json), `${name}: ${JSON.stringify(validate.errors)}`).to.equal(true);
      }
      // The rest of a stream's request is its body, which has no example.
      if (route.bodyForm === 'stream' || route.bodyForm === 'raw') continue;
      const { violations = [] } = validator.validate(route.rpc.input, request);
      expect(violations.map(String), name).to.deep.equal([]);
    }
  });

  it('has examples of responses that fit their schemas', () => {
    for (const [name, { responses }] of operations) {
      const [method = '', path = ''] = name.split(' ');
      for (const [status, { content = {} }] of Object.entries(responses)) {
        const { example } = content['application/json'] ?? {};
        if (content['application/json'] !== undefined) expect(example, `${name} ${status}`).not.to.equal(undefined);
        const faults = api.faultsOf({
          ...{
            method,
            path: path.replace(/\{\w+\}/g, 'x'),
            status: Number(status),
            headers: new Headers(),
            body: example,
          },
          contentType: example === undefined ? undefined : 'application/json',
        });
        if (example !== undefined) expect(faults, `${name} ${status}`).to.deep.equal([]);
      }
    }
  });

  it('keeps fields of path and headers out of bodies', () => {
    for (const route of api.routes.filter(({ binding }) => binding.body === '*')) {
      const name = schemaOf(api, `${route.method} ${route.template}`);
      if (name === undefined) continue;
      const { properties } = api.document['components'].schemas[name];
      for (const field of fieldsElsewhere(route)) expect(properties, route.template).not.to.have.property(field);
    }
  });

  it('has the events, with the headers that prove them', () => {
    const events = api.document['x-webhooks'] as Record<string, { post: Operation }>;
    expect(Object.keys(events)).to.deep.equal([
      'job.finished',
      'health.problem',
      'health.resolved',
      'recording.finished',
      'lease.begun',
      'lease.ended',
      'handover.begun',
      'handover.ended',
      'app.crashed',
      'app.not_responding',
      'key.expiring',
      'test',
    ]);
    for (const { post } of Object.values(events)) {
      expect(post.parameters?.map(({ name }) => name)).to.include.members([
        'X-Service-Signature',
        'X-Service-Delivery',
      ]);
    }
  });
});

/** The schema of a request's JSON body. */
function schemaOf({ document }: OpenApi, name: string): string | undefined {
  const [method = '', path = ''] = name.split(' ');
  const reference = document['paths'][path][method.toLowerCase()].requestBody?.content['application/json']?.schema.$ref;
  return (reference as string | undefined)?.split('/').at(-1);
}

/** JSON as the edge's parser has it: objects are maps. */
function mapsOf(value: unknown): never {
  if (Array.isArray(value)) return value.map(mapsOf) as never;
  if (typeof value !== 'object' || value === null) return value as never;
  return new Map(Object.entries(value).map(([name, item]) => [name, mapsOf(item)])) as never;
}
