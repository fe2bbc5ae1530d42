import { expect } from 'chai';
import { mountOf, quotaObstacle } from './mounts.js';

const LINES = [
  '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro',
  '30 22 8:17 / /srv rw,relatime shared:2 - xfs /dev/sdb1 rw,attr2,prjquota',
  '31 30 8:33 / /srv/phone\\040data rw master:3 - ext4 /dev/sdc1 rw,prjquota',
  '32 22 0:40 / /srv/tmp rw - tmpfs tmpfs rw,size=4k',
  '33 22 8:49 / /srv/tmp rw - btrfs /dev/sdd rw',
  'a line of another form',
  '',
].join('\n');

describe('the file system of a path', () => {
  const pointOf = (path: string): string | undefined => mountOf(LINES, path)?.point;

  it('is the nearest mount above it, by whole names', () => {
    expect(pointOf('/')).to.equal('/');
    expect(pointOf('/var/lib')).to.equal('/');
    expect(pointOf('/srv')).to.equal('/srv');
    expect(pointOf('/srv/data/phones')).to.equal('/srv');
    expect(pointOf('/srvs')).to.equal('/');
    expect(pointOf('/srv/phone data/phones')).to.equal('/srv/phone data');
    expect(mountOf('', '/')).to.equal(undefined);
  });

  it('is the last one that was mounted at a place', () => {
    expect(mountOf(LINES, '/srv/tmp/a')?.kind).to.equal('btrfs');
  });

  it('bounds projects where it is mounted to do so', () => {
    const obstacleAt = (path: string): string | undefined => {
      const mount = mountOf(LINES, path);
      return mount && quotaObstacle(mount);
    };
    expect(obstacleAt('/srv')).to.equal(undefined);
    expect(obstacleAt('/srv/phone data')).to.equal(undefined);
    expect(obstacleAt('/')).to.equal('/ is ext4, mounted without prjquota');
    expect(obstacleAt('/srv/tmp')).to.equal('/srv/tmp is btrfs, and project quotas are used on ext4 and XFS');
    const accounted = { kind: 'xfs', point: '/srv', options: ['rw', 'pqnoenforce'] };
    expect(quotaObstacle(accounted)).to.contain('without prjquota');
  });
});
