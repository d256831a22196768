#!/bin/sh
# Arms a scan and prints what comes of it; needs socat and jq.
#   client.sh [SOCKET] [onboarding|barcode]
socket=${1:-${WAYMARK_SOCKET:-$(waymark socket-path)}}
mode=${2:-onboarding}

# A pipe for the requests, so that they can be sent while events come in.
folder=$(mktemp -d) || exit 1
mkfifo "$folder/requests" || exit 1
# Created before it is first read.
: >"$folder/answers"
socat -t 0 - "UNIX-CONNECT:$socket" <"$folder/requests" >>"$folder/answers" &
client=$!
trap 'kill "$client" 2>/dev/null; rm -rf "$folder"' EXIT
exec 3>"$folder/requests"

ask() { printf '{"id":"%s","method":"%s","params":%s}\n' "$1" "$2" "$3" >&3; }
ask s subscribe '{"events":["scan.*"]}'
ask b scan.begin "{\"mode\":\"$mode\",\"once\":true}"

tail -n +1 -f --pid="$client" "$folder/answers" 2>/dev/null | while read -r line; do
  # One jq for each line: what kind of message it is, and what to show of it.
  shown=$(printf '%s' "$line" | jq -r '
    if .error then "error \(.error.code): \(.error.message)"
    elif .event == "hello" then "connected to waymark \(.version) as \(.role)"
    elif .event == "scan.successful" then "successful \(.kind // .symbology) \(.connectTo // .text)"
    elif .event == "scan.invalid" then "invalid \(.reason)"
    elif .event == "scan.unsuccessful" or .event == "scan.cancelled" then "\(.event) \(.reason)"
    elif .id == "c" then "confirmed"
    else empty end')
  [ -n "$shown" ] && printf '%s\n' "$shown"
  case $shown in
    successful*) if [ "$mode" = onboarding ]; then ask c scan.confirm '{}'; else kill "$client"; break; fi ;;
    confirmed | error* | scan.*) kill "$client"; break ;;
  esac
done
