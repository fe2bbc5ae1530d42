import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import type { FoundPhones, PhoneOfImage } from '../image-based/engine.js';
import type { ContainerModel } from '../image-based/model.js';
import { STAND_IN } from '../image-based/testing/image-based-world.js';
import { PhoneImages } from './phone-images.js';

const MADE: ContainerModel = { ...STAND_IN, driver: 'container', image: 'registry/phone:14', pids: 64, binder: false };
const SOURCE = 'registry/phone@sha256:abc';

/** The part of an engine's API that is about images, with a registry behind it. */
describe('the images of phones', () => {
  let folder: string;
  let server: Server;
  let images: PhoneImages;
  /** The ids of images that the engine has, by name or id, and the ids that the registry has, by name. */
  const engine = new Map<string, string>();
  const registry = new Map<string, string>();
  let pulls: string[];
  let digests: string[];

  const all =
    (...phones: PhoneOfImage[]) =>
    (): Promise<FoundPhones> =>
      Promise.resolve({ phones, complete: true });

  const GONE = { status: 404, body: { message: 'no such image' } };

  function respondTo({ pathname, searchParams: query }: URL): { status: number; body: unknown } {
    if (pathname === '/images/create') return pulled(query.get('fromImage') ?? '', query.get('tag') ?? '');
    if (pathname === '/images/json') return { status: 200, body: [{ RepoTags: [...engine.keys()] }] };
    const [, path = '', verb] = /^\/images\/(.+?)(?:\/(json|tag))?$/.exec(pathname) ?? [];
    const name = decodeURIComponent(path);
    const id = engine.get(name);
    if (id === undefined) return GONE;
    if (verb === 'json') return { status: 200, body: { Id: id, RepoDigests: digests } };
    if (verb === 'tag') engine.set(`${query.get('repo') ?? ''}:${query.get('tag') ?? ''}`, id);
    else engine.delete(name);
    return { status: 200, body: [] };
  }

  function pulled(image: string, tag: string): { status: number; body: unknown } {
    const reference = tag === '' ? image : `${image}${tag.startsWith('sha256:') ? '@' : ':'}${tag}`;
    pulls.push(reference);
    const id = registry.get(reference);
    if (id === undefined) return GONE;
    for (const name of [reference, id]) engine.set(name, id);
    return { status: 200, body: { status: 'done' } };
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'phone-images-'));
    server = createServer((request, response) => {
      const { status, body } = respondTo(new URL(request.url ?? '', 'http://engine'));
      response.writeHead(status).end(JSON.stringify(body));
    });
    const socketPath = join(folder, 'engine.sock');
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    const docker = new Docker({ socketPath });
    images = new PhoneImages({ docker, owner: 'test', clock: systemClock, log: silentLog });
  });

  beforeEach(() => {
    pulls = [];
    digests = ['other/registry/telephone@sha256:abc', SOURCE];
    engine.clear();
    registry.clear();
  });

  after(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });

  it('are known by the digest of the registry of their model, and named by the service', async () => {
    registry.set('registry/phone:14', 'sha256:1');
    expect(await images.fetch(MADE)).to.deep.equal({ digest: 'sha256:1', source: SOURCE });
    expect([...engine.keys()].at(-1)).to.match(/^localhost\/cloudphone\/[0-9a-f]{16}:1$/);
  });

  it('that are gone are pulled again by that digest, wherever the tag leads by now', async () => {
    registry.set('registry/phone:14', 'sha256:2').set(SOURCE, 'sha256:1');
    expect(await images.ready({ digest: 'sha256:1', source: SOURCE, made: MADE })).to.equal('sha256:1');
    expect(pulls).to.deep.equal([SOURCE]);
    expect(await images.ready({ digest: 'sha256:1', source: SOURCE, made: MADE })).to.equal('sha256:1');
    expect(pulls.length).to.equal(1);
  });

  it('may have another id on another engine', async () => {
    registry.set(SOURCE, 'sha256:of-another-kind');
    for (let times = 0; times < 2; times++) {
      const id = await images.ready({ digest: 'sha256:1', source: SOURCE, made: MADE });
      expect(id).to.equal('sha256:of-another-kind');
    }
    expect(pulls.length).to.equal(1);
  });

  it('of phones of an earlier release are those of the tag only where that has not moved', async () => {
    registry.set('registry/phone:14', 'sha256:1');
    expect(await images.ready({ digest: 'sha256:1', made: MADE })).to.equal('sha256:1');
    engine.clear();
    registry.set('registry/phone:14', 'sha256:2');
    const failure = await images.ready({ digest: 'sha256:1', made: MADE }).catch(String);
    expect(failure).to.contain('PhoneFailure').and.to.contain('registry/phone:14 (sha256:1)');
  });

  it('that nobody has are named in the failure and the problems, until they are there', async () => {
    const phone = { digest: 'sha256:1', source: SOURCE, made: MADE };
    await images.keep(all(phone));
    expect(images.problems.join()).to.contain(SOURCE).and.to.contain('"stand-in"');
    expect(await images.ready(phone).catch(String))
      .to.contain('PhoneFailure')
      .and.to.contain(SOURCE);
    engine.set('sha256:1', 'sha256:1');
    await images.ready(phone);
    expect(images.problems).to.deep.equal([]);
  });

  it('that no phone has lose the name of the service, and no other name', async () => {
    registry.set('registry/phone:14', 'sha256:1');
    await images.fetch(MADE);
    await images.keep(all());
    expect([...engine.keys()]).to.deep.equal(['registry/phone:14', 'sha256:1']);
  });

  it('have no digest of a registry where the engine knows only names that it gave them itself', async () => {
    registry.set('registry/phone:14', 'sha256:1');
    await images.fetch(MADE);
    const own = [...engine.keys()].at(-1)?.replace(/:[^:]*$/, '@sha256:abc') ?? '';
    digests = [own, 'other/phone@sha256:abc'];
    expect((await images.fetch(MADE)).source).to.equal('other/phone@sha256:abc');
    digests = [own];
    expect(await images.fetch(MADE)).to.deep.equal({ digest: 'sha256:1' });
  });

  it('are of the repository of the model, not of one whose name only ends like it', async () => {
    registry.set('phone:14', 'sha256:1');
    digests = ['docker.io/library/telephone@sha256:abc', 'docker.io/library/phone@sha256:def'];
    expect((await images.fetch({ ...MADE, image: 'phone:14' })).source).to.equal('docker.io/library/phone@sha256:def');
  });

  it('keep their name where a phone was made of them after the phones were listed', async () => {
    registry.set('registry/phone:14', 'sha256:1');
    await images.fetch(MADE);
    const named = [...engine.keys()];
    let times = 0;
    await images.keep(() =>
      Promise.resolve({ phones: times++ === 0 ? [] : [{ digest: 'sha256:1', made: MADE }], complete: true }),
    );
    expect([...engine.keys()]).to.deep.equal(named);
  });

  it('keep their names while the description of a phone cannot be read', async () => {
    registry.set('registry/phone:14', 'sha256:1');
    await images.fetch(MADE);
    const named = [...engine.keys()];
    await images.keep(() => Promise.resolve({ phones: [], complete: false }));
    expect([...engine.keys()]).to.deep.equal(named);
  });
});
