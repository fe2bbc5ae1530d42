{{- define "cloudphone.name" -}}
{{- if contains "cloudphone" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-cloudphone" .Release.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "cloudphone.secret" -}}
{{ .Values.secrets.existing | default (printf "%s-secrets" (include "cloudphone.name" .)) }}
{{- end }}

{{/*
The namespace of phones. The role in the namespace of the release is that of an installation from before phones had one of their own.
*/}}
{{- define "cloudphone.phoneNamespace" -}}
{{- $inRelease := lookup "rbac.authorization.k8s.io/v1" "Role" .Release.Namespace (printf "%s-device" (include "cloudphone.name" .)) }}
{{- .Values.phones.namespace | default (ternary .Release.Namespace (printf "%s-phones" (.Release.Namespace | trunc 56 | trimSuffix "-")) (not (empty $inRelease))) }}
{{- end }}

{{/* Of the pods of one service, given (dict "root" $ "part" "gateway"). */}}
{{- define "cloudphone.selector" -}}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "cloudphone.labels" -}}
{{ include "cloudphone.selector" . }}
app.kubernetes.io/name: cloudphone
app.kubernetes.io/part-of: cloudphone
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/*
The template of a service's pods. Beside root and part: ports (by name), env (YAML text), database and sealing (whether it gets these secrets),
data and files (names of volumes), stopDelayMs, account.
*/}}
{{- define "cloudphone.pod" -}}
{{- $values := index .root.Values .part }}
metadata:
  labels: {{- include "cloudphone.labels" . | nindent 4 }}
  {{- if .files }}
  annotations:
    checksum/files: {{ .root.Values.phones.models | toJson | sha256sum }}
  {{- end }}
spec:
  serviceAccountName: {{ .account | default "default" }}
  automountServiceAccountToken: {{ not (empty .account) }}
  enableServiceLinks: false
  terminationGracePeriodSeconds: 40
  {{- with .root.Values.imagePullSecrets }}
  imagePullSecrets: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: { type: RuntimeDefault }
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels: {{- include "cloudphone.selector" . | nindent 10 }}
  containers:
    - name: {{ .part }}
      image: {{ printf "%s:%s" .root.Values.image.repository (.root.Values.image.tag | default .root.Chart.AppVersion) | quote }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args: [{{ .part }}]
      env:
        - { name: OPS_HOST, value: 0.0.0.0 }
        - { name: OPS_PORT, value: '7010' }
        - { name: PUBLIC_URL, value: {{ .root.Values.publicUrl | quote }} }
        - { name: MESH_TOKEN_FILE, value: /run/secrets/cloudphone/mesh-token }
        {{- if .database }}
        - { name: MONGODB_URL_FILE, value: /run/secrets/cloudphone/mongodb-url }
        {{- end }}
        {{- if .sealing }}
        - { name: SECRETS_KEY_FILE, value: /run/secrets/cloudphone/secrets-key }
        {{- end }}
        {{- range $part, $port := dict "device" 7001 "screen" 7002 "relay" 7003 "webhook" 7004 }}
        {{- if or (ne $part "relay") $.root.Values.relay.host }}
        - { name: {{ upper $part }}_SERVICE_URL, value: 'http://{{ include "cloudphone.name" $.root }}-{{ $part }}:{{ $port }}' }
        {{- end }}
        {{- end }}
        {{- with .env }}{{ . | nindent 8 }}{{ end }}
        {{- range $name, $value := $values.env }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      ports:
        - { name: ops, containerPort: 7010 }
        {{- range $name, $port := .ports }}
        - { name: {{ $name }}, containerPort: {{ $port }} }
        {{- end }}
      startupProbe: { httpGet: { path: /readyz, port: ops }, periodSeconds: 2, failureThreshold: 60 }
      readinessProbe: { httpGet: { path: /readyz, port: ops }, periodSeconds: 3, failureThreshold: 2 }
      livenessProbe: { httpGet: { path: /livez, port: ops }, periodSeconds: 10, failureThreshold: 3 }
      resources: {{- toYaml $values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      volumeMounts:
        - { name: secrets, mountPath: /run/secrets/cloudphone, readOnly: true }
        - { name: tmp, mountPath: /tmp }
        - { name: {{ .data | default "scratch" }}, mountPath: /data }
        {{- if .files }}
        - { name: files, mountPath: /etc/cloudphone, readOnly: true }
        {{- end }}
  volumes:
    - name: secrets
      secret:
        secretName: {{ include "cloudphone.secret" .root }}
        items:
          - { key: mesh-token, path: mesh-token }
          {{- if .database }}
          - { key: mongodb-url, path: mongodb-url }
          {{- end }}
          {{- if .sealing }}
          - { key: secrets-key, path: secrets-key }
          {{- end }}
    - { name: tmp, emptyDir: {} }
    {{- if not .data }}
    - { name: scratch, emptyDir: {} }
    {{- end }}
    {{- if .files }}
    - { name: files, configMap: { name: {{ .files }} } }
    {{- end }}
{{- end }}

{{/* The volume for /data of each pod of a StatefulSet, given its storage. */}}
{{- define "cloudphone.data" -}}
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata: { name: data }
  spec:
    accessModes: [ReadWriteOnce]
    {{- with .className }}
    storageClassName: {{ . }}
    {{- end }}
    resources: { requests: { storage: {{ .size }} } }
{{- end }}
