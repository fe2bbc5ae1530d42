import { Button, FileInput, Progress, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldErrors } from '../../api/field-errors.ts';
import { sendFile } from '../../api/send-file.ts';
import { Card } from '../../parts/card.tsx';
import { ErrorAlert } from '../../parts/error-alert.tsx';
import { Form } from '../../parts/form.tsx';
import forms from '../../parts/forms.module.css';

/** The types of files that can be apps. */
const ACCEPTED = '.apk,.apks,.xapk,.apkm,application/vnd.android.package-archive';

const MAX_NAME_CHARS = 64;

/** Uploads an app to the library under a name, with its progress. An app that has the name is replaced. */
export function UploadApp() {
  const client = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [done, setDone] = useState(0);
  const upload = useMutation({
    mutationFn: (chosen: File) => {
      setDone(0);
      return sendFile({
        method: 'PUT',
        url: `/v1/library/apps/${encodeURIComponent(name)}`,
        contentType: 'application/octet-stream',
        file: chosen,
        onProgress: setDone,
      });
    },
    onSuccess: () => {
      setFile(null);
      setName('');
      return client.invalidateQueries({ queryKey: ['library'] });
    },
  });
  const choose = (chosen: File | null): void => {
    upload.reset();
    setFile(chosen);
    if (chosen !== null && name === '') setName(nameOf(chosen.name));
  };
  const { at, rest } = fieldErrors(upload.error, ['name']);
  return (
    <Card
      title="Upload an app"
      description="An APK, or a bundle of APKs (.apks, .xapk, .apkm). An app of the same name is replaced."
    >
      <Form
        onSubmit={() => file !== null && upload.mutate(file)}
        error={upload.error}
        className={`${forms.fields} ${forms.narrow}`}
      >
        <div className={forms.row}>
          <FileInput
            label="File"
            placeholder="Choose a file"
            accept={ACCEPTED}
            value={file}
            onChange={choose}
            clearable
            clearButtonProps={{ 'aria-label': 'Choose no file' }}
            disabled={upload.isPending}
          />
          <TextInput
            label="Name"
            placeholder="shop"
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={at.name}
            maxLength={MAX_NAME_CHARS}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            disabled={upload.isPending}
            required
          />
          <Button type="submit" loading={upload.isPending} disabled={file === null}>
            Upload
          </Button>
        </div>
        <div role="status">
          {upload.isPending && <Progress value={done * 100} size="sm" aria-label={`Uploading ${file?.name ?? name}`} />}
        </div>
        <ErrorAlert error={rest} />
      </Form>
    </Card>
  );
}

/** Returns a name for an app of a file's name: "My Shop-4.2.apk" is "my-shop-4.2". */
function nameOf(file: string): string {
  return file
    .toLowerCase()
    .replace(/\.(apk|apks|xapk|apkm)$/, '')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, MAX_NAME_CHARS);
}
