import { Button, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { api, take } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import type { Role } from '../../api/rights.ts';
import { Card } from '../../parts/card.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { ALL_PHONES, devicesField, isComplete, type SeenPhones } from '../../parts/seen-phones.ts';
import { SeenPhonesField } from '../../parts/seen-phones-field.tsx';
import { Moment } from '../../parts/time.tsx';
import type { Invitation } from './members-query.ts';
import { RoleField } from './role-field.tsx';

const BACK = { href: '/members', label: 'Members' };

/** Invites a person, and shows the link this once where the service has not mailed it. */
export default function InvitePage() {
  const client = useQueryClient();
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('operator');
  const [seen, setSeen] = useState<SeenPhones>(ALL_PHONES);
  const invite = useMutation({
    mutationFn: () =>
      take(api.POST('/v1/account/invitations', { body: { email: email.trim(), role, devices: devicesField(seen) } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['invitations'] }),
    // It holds the link, so it is removed with the page.
    gcTime: 0,
  });
  if (invite.data !== undefined) return <Invited invitation={invite.data.invitation} />;
  const edit =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      set(value);
      invite.reset();
    };
  const { at, rest } = fieldErrors(invite.error, ['email', 'role', 'devices']);
  return (
    <>
      <PageHeader title="Invite a person" back={BACK} />
      <Form onSubmit={() => invite.mutate()} error={invite.error} className={`${forms.fields} ${forms.narrow}`}>
        <Card title="Person">
          <div className={forms.fields}>
            <TextInput
              label="E-mail"
              description="The person signs in with it."
              inputMode="email"
              autoComplete="off"
              maxLength={254}
              required
              value={email}
              onChange={({ currentTarget }) => edit(setEmail)(currentTarget.value)}
              error={at.email}
            />
            <RoleField value={role} onChange={edit(setRole)} error={at.role} />
          </div>
        </Card>
        <Card title="Phones" description="The person sees these, and those that the person creates.">
          <SeenPhonesField value={seen} onChange={edit(setSeen)} error={at.devices} />
        </Card>
        <ErrorAlert error={rest} />
        <div className={forms.end}>
          <Button type="submit" loading={invite.isPending} disabled={!isComplete(seen)}>
            Invite
          </Button>
        </div>
      </Form>
    </>
  );
}

function Invited({ invitation: { email, role, url, mailed, expires_at: expiresAt } }: { invitation: Invitation }) {
  return (
    <>
      <PageHeader title={`${email} is invited`} back={BACK} />
      <div className={`${forms.fields} ${forms.narrow}`}>
        {mailed ? (
          <Card
            title="The link is on its way"
            description={`It was mailed to ${email}. The person opens it, and joins as ${role}.`}
          />
        ) : (
          <Card
            title="Pass this link on"
            description={`Send it to ${email} yourself, as this service sends no mail. It is shown only now, and works once.`}
          >
            <CommandLine text={url ?? ''} what="the link" />
          </Card>
        )}
        <p className={forms.quiet}>
          It works until <Moment at={expiresAt} />.
        </p>
        <div className={forms.end}>
          <Button component={Link} href={BACK.href}>
            Done
          </Button>
        </div>
      </div>
    </>
  );
}
