{{- define "fixpoint.labels" -}}
app.kubernetes.io/name: fixpoint
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "fixpoint.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The environment of every pod: the Secret, then what the chart decides. */}}
{{- define "fixpoint.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
env:
  - name: FIXPOINT_DATA
    value: /data
  - name: HOST
    value: 0.0.0.0
  - name: PORT
    value: "8080"
  - name: FIXPOINT_WORKER_PORT
    value: "8080"
  - name: FIXPOINT_SANDBOX
    value: {{ .Values.sandbox }}
  {{- if .Values.host }}
  - name: FIXPOINT_PUBLIC_URL
    value: https://{{ .Values.host }}
  {{- end }}
  {{- range $name, $value := .Values.settings }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end }}

{{- define "fixpoint.pod" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
{{- end }}

{{- define "fixpoint.container" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "fixpoint.probes" -}}
ports:
  - name: http
    containerPort: 8080
livenessProbe:
  httpGet: {path: /healthz, port: http}
  initialDelaySeconds: 10
  periodSeconds: 10
readinessProbe:
  httpGet: {path: /readyz, port: http}
  periodSeconds: 5
{{- end }}
