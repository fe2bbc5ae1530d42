import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';
import { Card } from '../../parts/card.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import forms from '../../parts/forms.module.css';
import { saveFile } from '../../parts/save-file.ts';
import classes from './security.module.css';

/** How many codes are left, and the button that makes new ones. */
export function RecoveryCodesCard({
  left,
  onRenewed,
}: {
  left: number;
  onRenewed: (codes: readonly string[]) => void;
}) {
  const client = useQueryClient();
  const renew = useMutation({
    mutationFn: async () => (await take(api.POST('/v1/account/recovery-codes'))).recovery_codes,
    onSuccess: (codes) => {
      onRenewed(codes);
      void client.invalidateQueries({ queryKey: ['second-factors'] });
    },
    gcTime: 0,
  });
  return (
    <Card
      title="Recovery codes"
      description={`Each replaces a second factor once, for the day on which you have none with you. ${left} of them are left.`}
      actions={
        <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
          Make new ones
        </Button>
      }
    >
      <ErrorAlert error={renew.error} />
      {left < 3 && <p className={forms.quiet}>Make new ones soon. The old ones stop working then.</p>}
    </Card>
  );
}

/** Shows new codes, this once, until the person has kept them. */
export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const text = codes.join('\n');
  return (
    <Card
      title="Keep these recovery codes"
      description="Each replaces your second factor once. They are shown only now: without them, a lost phone locks you out."
      actions={<CopyButton text={text} what="the codes" />}
    >
      <div className={forms.fields}>
        <ul className={classes.codes} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <div className={forms.end}>
          <Button
            variant="default"
            onClick={() => saveFile(new Blob([`${text}\n`], { type: 'text/plain' }), 'recovery-codes.txt')}
          >
            Save as a file
          </Button>
          <Button onClick={onKept}>I have kept them</Button>
        </div>
      </div>
    </Card>
  );
}
