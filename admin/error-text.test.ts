import { expect } from 'chai';
import { errorText } from './error-text.js';

describe("errors of the operator's command line", () => {
  it('name commands where those of customers name requests', () => {
    const job = 'job_1m7x2vye5t4vyenbj210hep75';
    expect(
      errorText(`The device "demo" is busy with job ${job} (start). Wait for it: GET /v1/jobs/${job}?wait_s=30.`),
    ).to.equal(`The device "demo" is busy with job ${job} (start). See: npm run --silent admin -- job list`);
    expect(errorText('There is no device "x". GET /v1/devices lists the devices that this key can see.')).to.equal(
      'There is no device "x". See: npm run --silent admin -- device list',
    );
    expect(errorText('It is so. Call POST /v1/network/check first.')).to.equal('It is so.');
    expect(errorText('There is no account "a@b.example".')).to.equal('There is no account "a@b.example".');
  });
});
