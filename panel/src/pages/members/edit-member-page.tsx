import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams } from 'wouter';
import { useAccount } from '../../api/account.ts';
import { api, take } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { Card } from '../../parts/card.tsx';
import { EmptyState } from '../../parts/empty-state.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Fetched } from '../../parts/fetched.tsx';
import { Form } from '../../parts/form.tsx';
import forms from '../../parts/forms.module.css';
import { PageHeader } from '../../parts/page-header.tsx';
import { devicesField, isComplete, seenPhonesOf } from '../../parts/seen-phones.ts';
import { SeenPhonesField } from '../../parts/seen-phones-field.tsx';
import { type Member, membersQuery } from './members-query.ts';
import { RemoveMember } from './remove-member.tsx';
import { RoleField } from './role-field.tsx';

/** One member: the role, and the phones that the member sees. */
export default function EditMemberPage() {
  const { id } = useParams<{ id: string }>();
  const query = useQuery(membersQuery);
  const member = query.data?.find((one) => one.id === id);
  return (
    <>
      <PageHeader title={member?.name ?? member?.email ?? 'Member'} back={{ href: '/members', label: 'Members' }} />
      <Fetched query={query} what="the member">
        {() =>
          member === undefined ? (
            <EmptyState title="There is no such member">The person may have left the account.</EmptyState>
          ) : (
            <EditMember key={id} member={member} />
          )
        }
      </Fetched>
    </>
  );
}

function EditMember({ member }: { member: Member }) {
  const { id } = member;
  const client = useQueryClient();
  const { member: own } = useAccount();
  const [isAsking, asking] = useDisclosure();
  const [role, setRole] = useState(member.role);
  const [seen, setSeen] = useState(() => seenPhonesOf(member));
  const save = useMutation({
    mutationFn: () =>
      take(
        api.PATCH('/v1/account/members/{id}', {
          params: { path: { id } },
          body: { role, devices: devicesField(seen) },
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['members'] });
      // A change of one's own role changes what the panel offers.
      if (id === own?.id) await client.invalidateQueries({ queryKey: ['account'] });
    },
  });
  const edit =
    <T,>(set: (value: T) => void) =>
    (value: T): void => {
      set(value);
      save.reset();
    };
  const { at, rest } = fieldErrors(save.error, ['role', 'devices']);
  return (
    <>
      <Form onSubmit={() => save.mutate()} error={save.error} className={`${forms.fields} ${forms.narrow}`}>
        <Card
          title="What this person may do"
          description={`${member.email} gets it within seconds, and so do this member's own keys.`}
        >
          <RoleField value={role} onChange={edit(setRole)} error={at.role} />
        </Card>
        <Card title="Phones" description="The person sees these, and those that the person creates.">
          <SeenPhonesField value={seen} onChange={edit(setSeen)} error={at.devices} />
        </Card>
        <ErrorAlert error={rest} />
        <div className={forms.end}>
          {save.isSuccess && <p role="status">Saved</p>}
          {id !== own?.id && (
            <Button variant="light" color="red" onClick={asking.open}>
              Remove…
            </Button>
          )}
          <Button type="submit" loading={save.isPending} disabled={!isComplete(seen)}>
            Save
          </Button>
        </div>
      </Form>
      <RemoveMember member={member} opened={isAsking} onClose={asking.close} />
    </>
  );
}
