curl -sN --max-time 5 "$CLOUDPHONE_URL/events?types=job.finished,device.state" \
  -H "Authorization: Bearer $CLOUDPHONE_KEY" || test $? = 28
