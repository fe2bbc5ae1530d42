import { expect } from 'chai';
import { Registry } from 'prom-client';
import { selfSigned } from '../../testing/self-signed.js';
import { certificateMetrics, certificatesOf } from './certificate-metrics.js';

describe('the metric of certificates', () => {
  it('is the end of each certificate, and has no value for one that cannot be read', async () => {
    const metrics = new Registry();
    const { cert } = selfSigned();
    const https = { certFile: '/nonexistent/cert.pem' };
    certificateMetrics(metrics, certificatesOf({ https, tls: { cert, ca: 'no certificate' } }));
    const lines = (await metrics.metrics()).split('\n').filter((line) => line.startsWith('certificate_'));
    const ends = Date.UTC(2049, 0, 1) / 1_000;
    expect(lines).to.deep.equal([`certificate_expires_timestamp_seconds{setting="GRPC_TLS_CERT"} ${ends}`]);
  });
});
