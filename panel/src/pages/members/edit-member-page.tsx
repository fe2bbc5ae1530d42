import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
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
import { isComplete } from '../../parts/seen-phones.ts';
import { SeenPhonesField } from '../../parts/seen-phones-field.tsx';
import { useDraft } from '../../parts/use-draft.ts';
import { changedMemberBody, draftOf, type MemberDraft } from './member-draft.ts';
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
  const { first, draft, change, renew } = useDraft(() => draftOf(member));
  const save = useMutation({
    mutationFn: (sent: MemberDraft) =>
      take(api.PATCH('/v1/account/members/{id}', { params: { path: { id } }, body: changedMemberBody(sent, first) })),
    onSuccess: async ({ member: saved }, sent) => {
      renew(draftOf(saved), sent);
      await client.invalidateQueries({ queryKey: ['members'] });
      // A change of one's own role changes what the panel offers.
      if (id === own?.id) await client.invalidateQueries({ queryKey: ['account'] });
    },
  });
  const edit = (part: Partial<MemberDraft>): void => {
    change(part);
    save.reset();
  };
  const { at, rest } = fieldErrors(save.error, ['role', 'devices']);
  return (
    <>
      <Form onSubmit={() => save.mutate(draft)} error={save.error} className={`${forms.fields} ${forms.narrow}`}>
        <Card
          title="What this person may do"
          description={`${member.email} gets it within seconds, and so do this member's own keys.`}
        >
          <RoleField value={draft.role} onChange={(role) => edit({ role })} error={at.role} />
        </Card>
        <Card title="Phones" description="The person sees these, and those that the person creates.">
          <SeenPhonesField value={draft.seen} onChange={(seen) => edit({ seen })} error={at.devices} />
        </Card>
        <ErrorAlert error={rest} />
        <div className={forms.end}>
          {save.isSuccess && <p role="status">Saved</p>}
          {id !== own?.id && (
            <Button variant="light" color="red" onClick={asking.open}>
              Remove…
            </Button>
          )}
          <Button type="submit" loading={save.isPending} disabled={!isComplete(draft.seen)}>
            Save
          </Button>
        </div>
      </Form>
      <RemoveMember member={member} opened={isAsking} onClose={asking.close} />
    </>
  );
}
