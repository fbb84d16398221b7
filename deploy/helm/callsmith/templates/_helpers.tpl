{{- define "callsmith.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "callsmith.selector" -}}
app.kubernetes.io/name: callsmith
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "callsmith.labels" -}}
{{ include "callsmith.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* What the gateways' pods and the migration's have in common: account, rights, image, settings. */}}
{{- define "callsmith.pod" -}}
automountServiceAccountToken: false
# Otherwise a Service named like this one sets variables that look like settings.
enableServiceLinks: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "callsmith.container" -}}
image: {{ printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{- toYaml .Values.resources | nindent 2 }}
envFrom:
  - secretRef: { name: {{ .Values.secretName | quote }} }
env:
  {{- range $name, $value := .Values.settings }}
  - { name: {{ $name }}, value: {{ $value | toString | quote }} }
  {{- end }}
{{- end -}}
