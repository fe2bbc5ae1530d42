import { expect } from 'chai';
import { namesRead } from '../kit/config/names-read.js';
import { readStartConfig } from './config.js';
import { help } from './help.js';

describe('the help of npm start', () => {
  it('has every setting that the start reads, with default and meaning', () => {
    const text = help();
    const names = [...namesRead((environment) => readStartConfig(environment, false))];
    expect(names).to.include.members(['PORT', 'DATA_DIR', 'MONGODB_URL', 'MONGODB_URL_FILE', 'LOG_LEVEL']);
    for (const name of names) expect(text, name).to.match(new RegExp(`^  .*\\b${name}\\b.*\\(.+\\)$`, 'm'));
    expect(text).to.contain('  PORT   (8080)\n      REST and the panel. 0 picks a free port');
    expect(text).not.to.contain('GATEWAY_HOST');
  });
});
