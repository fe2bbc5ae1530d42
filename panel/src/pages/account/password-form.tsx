import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, take } from '../../api/client.ts';
import { fieldErrors } from '../../api/field-errors.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import forms from '../../parts/forms.module.css';
import { emailOf, useAccount } from '../../api/account.ts';

/** Changes the password of the account, which ends all other sessions. */
export function PasswordForm() {
  const client = useQueryClient();
  const email = emailOf(useAccount());
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const change = useMutation({
    mutationFn: () => take(api.POST('/v1/account/password', { body: { password, new_password: newPassword } })),
    onSuccess: () => {
      setPassword('');
      setNewPassword('');
      void client.invalidateQueries({ queryKey: ['sessions'] });
    },
    // It holds the passwords, so it is removed with the page.
    gcTime: 0,
  });
  const edit = (set: (text: string) => void) => (text: string) => {
    set(text);
    change.reset();
  };
  const { at, rest } = fieldErrors(change.error, ['password', 'new_password']);
  return (
    <Form onSubmit={() => change.mutate()} error={change.error} className={`${forms.fields} ${forms.narrow}`}>
      <Card title="Password" description="A new password signs you out everywhere else. API keys go on working.">
        <div className={forms.fields}>
          {/* For password managers: it names the account that the passwords belong to. */}
          <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            required
            value={password}
            onChange={({ currentTarget }) => edit(setPassword)(currentTarget.value)}
            error={at.password}
            aria-invalid={at.password !== undefined}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the current password', tabIndex: 0 }}
          />
          <PasswordInput
            label="New password"
            description="At least 8 characters."
            autoComplete="new-password"
            required
            minLength={8}
            maxLength={256}
            value={newPassword}
            onChange={({ currentTarget }) => edit(setNewPassword)(currentTarget.value)}
            error={at.new_password}
            aria-invalid={at.new_password !== undefined}
            visibilityToggleButtonProps={{ 'aria-label': 'Show the new password', tabIndex: 0 }}
          />
          <ErrorAlert error={rest} />
          <div className={forms.end}>
            {change.isSuccess && <p role="status">Your password is changed.</p>}
            <Button type="submit" loading={change.isPending}>
              Change password
            </Button>
          </div>
        </div>
      </Card>
    </Form>
  );
}
