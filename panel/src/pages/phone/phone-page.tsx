import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { ApiFault, type Device } from '../../api/client.ts';
import { useDevice } from '../../api/devices.ts';
import { CopyAsButton } from '../../copy/copy-as-button.tsx';
import { PhoneHandover } from '../../handovers/phone-handover.tsx';
import { HoldBadge } from '../../leases/hold-badge.tsx';
import { HoldBanner } from '../../leases/hold-banner.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { ForRight } from '../../parts/for-right.tsx';
import { Loading } from '../../parts/loading.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { PhoneMenu } from '../../parts/phone-menu.tsx';
import { PowerButton } from '../../parts/power-button.tsx';
import { copiedActions } from './copied-actions.ts';
import { ApkUploads, ApkUploadStatus } from './apps/apk-uploads.tsx';
import { FileUploads } from './files/file-uploads.tsx';
import { OffScreen } from './off-screen.tsx';
import { PhoneTabs } from './phone-tabs.tsx';
import { ShareButton } from './share/share-button.tsx';
import { SeenElements } from './elements/seen-elements.tsx';
import { WatchedScreen } from './watched-screen.tsx';
import classes from './phone.module.css';

/** One phone: its live screen, and beside it everything that can be done with it. */
export default function PhonePage() {
  const { name, tab } = useParams<{ name: string; tab?: string }>();
  return <Phone key={name} name={name} tab={tab} />;
}

function Phone({ name, tab }: { name: string; tab: string | undefined }) {
  const [, navigate] = useLocation();
  const { data: device, error, refetch } = useDevice(name);
  const isGone = error instanceof ApiFault && error.status === 404;
  const shown: Device | undefined = isGone ? undefined : device;
  return (
    <>
      <PageHeader
        title={name}
        back={{ href: '/phones', label: 'Phones' }}
        badge={
          shown !== undefined && (
            <>
              <StatusBadge state={shown.state} />
              <HoldBadge device={shown} />
            </>
          )
        }
        actions={
          shown !== undefined && (
            <>
              <ForRight right="phones">
                <CopyAsButton actions={copiedActions(shown)} />
                <ShareButton device={shown} />
              </ForRight>
              {/* A phone that is off has its start button on its screen. */}
              {shown.state === 'running' && <PowerButton device={shown} size="sm" />}
              <PhoneMenu device={shown} onDeleted={() => navigate('/phones')} />
            </>
          )
        }
      />
      {isGone && <EmptyState title={`There is no phone ${name}`}>It may have been deleted.</EmptyState>}
      {device === undefined && error === null && <Loading what="the phone" />}
      {!isGone && error !== null && (
        <div className={classes.alert}>
          <ErrorAlert error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {shown !== undefined && <PhoneHandover device={shown} />}
      {shown !== undefined && <HoldBanner device={shown} />}
      {shown !== undefined && (
        <ApkUploads device={shown}>
          <SeenElements device={shown} isWanted={tab === 'elements'}>
            <div className={classes.layout} data-tab={tab ?? 'about'} data-handed-over={shown.handover !== undefined}>
              <ScreenPane device={shown} />
              <FileUploads device={shown}>
                <div>
                  <ApkUploadStatus />
                  <PhoneTabs device={shown} tab={tab ?? 'about'} />
                </div>
              </FileUploads>
            </div>
          </SeenElements>
        </ApkUploads>
      )}
    </>
  );
}

/** The phone's screen: live while it runs. While a phone that was watched restarts, its last picture stays until the next. */
function ScreenPane({ device }: { device: Device }) {
  const { state } = device;
  const isOn = state === 'running';
  const [wasOn, setWasOn] = useState(isOn);
  if (isOn && !wasOn) setWasOn(true);
  // The phone is off, and no restart is on its way: the next start is watched anew.
  if (!isOn && wasOn && (state === 'stopped' || state === 'failed') && device.job === undefined) setWasOn(false);
  return (
    <div className={classes.watch}>{wasOn ? <WatchedScreen device={device} /> : <OffScreen device={device} />}</div>
  );
}
