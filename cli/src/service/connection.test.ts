import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { Invocation } from '../command/command.js';
import { Options } from '../command/options.js';
import { UsageError } from '../output/usage-error.js';
import { readSettings } from '../config.js';
import { Failure } from '../output/failure.js';
import { baseUrlOf } from './base-url.js';
import { openService } from './connection.js';
import { readServices, writeServices } from './services-file.js';

describe('the service of a call', () => {
  let home: string;
  let file: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'cloudphone-services-'));
    file = readSettings({}, home).servicesFile;
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const one = { url: 'https://one.example/v1', key: 'cp_one' };
  const two = { url: 'https://two.example/v1', key: 'cp_two' };

  function serviceOf(
    environment: Record<string, string>,
    service?: string,
  ): { url: string; key: string; notes: string } {
    const notes: string[] = [];
    const invocation = {
      settings: readSettings(environment, home),
      options: new Options({ service }),
      terminal: { note: (text: string) => void notes.push(text) },
    } as unknown as Invocation;
    const { url, key } = openService(invocation);
    return { url, key, notes: notes.join('\n') };
  }

  it('is the last one that was logged in to, or one by its name', () => {
    writeServices(file, { current: 'two', services: { one, two } });
    expect(serviceOf({})).to.deep.equal({ ...two, notes: '' });
    expect(serviceOf({}, 'one')).to.deep.equal({ ...one, notes: '' });
    for (const name of ['three', 'constructor', '__proto__'])
      expect(() => serviceOf({}, name)).to.throw(UsageError, 'Known: one, two.');
  });

  it('is that of the environment where it has both values, with a note where an option asks for another', () => {
    writeServices(file, { current: 'two', services: { one, two } });
    const environment = { CLOUDPHONE_URL: 'https://three.example', CLOUDPHONE_KEY: 'cp_three' };
    expect(serviceOf(environment)).to.deep.equal({ url: 'https://three.example/v1', key: 'cp_three', notes: '' });
    expect(serviceOf(environment, 'one').notes).to.include('win over --service');
  });

  it('gets a stored key for a URL of the environment only where it is that of the key', () => {
    writeServices(file, { current: 'two', services: { one, two } });
    expect(serviceOf({ CLOUDPHONE_URL: 'https://one.example/' }).key).to.equal('cp_one');
    expect(() => serviceOf({ CLOUDPHONE_URL: 'https://thief.example' })).to.throw(UsageError, 'no key for it is known');
  });

  it('is refused with what to do where none is known', () => {
    expect(() => serviceOf({})).to.throw(UsageError, 'cloudphone login');
  });

  it('is kept in a file for its owner alone, whole, without other files beside it', () => {
    writeServices(file, { current: 'one', services: { one } });
    writeServices(file, { current: 'one', services: { one, two } });
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    expect(statSync(dirname(file)).mode & 0o777).to.equal(0o700);
    expect(readdirSync(dirname(file))).to.deep.equal(['config.json']);
    expect(readServices(file)).to.deep.equal({ current: 'one', services: { one, two } });
  });

  it('is warned about where others can read the file', () => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ current: 'one', services: { one } }), { mode: 0o644 });
    expect(serviceOf({}).notes).to.include(`chmod 600`);
  });

  it('is refused where the file is not what a login writes', () => {
    mkdirSync(dirname(file), { recursive: true });
    for (const text of ['', '{', '[]', 'null', '{"services": {"one": {"url": 1}}}', '{"services": {"one": null}}']) {
      writeFileSync(file, text);
      expect(() => readServices(file), text).to.throw(Failure, 'log in again');
    }
  });

  it('has the base URL of whatever people type', () => {
    const typed = ['phones.example.com', 'https://phones.example.com/', 'https://phones.example.com/v1/'];
    for (const text of typed) expect(baseUrlOf(text)).to.equal('https://phones.example.com/v1');
    expect(baseUrlOf('http://127.0.0.1:8080/v1')).to.equal('http://127.0.0.1:8080/v1');
    expect(baseUrlOf('https://example.com/phones')).to.equal('https://example.com/phones/v1');
    for (const text of ['', 'https://', 'https://a:b@phones.example.com', 'https://phones.example.com/?x=1'])
      expect(() => baseUrlOf(text), text).to.throw(UsageError);
  });
});
