#!/bin/sh
# Makes the secrets of deploy/compose.yaml in deploy/secrets, those that are not there yet. Keep a copy elsewhere: without secrets-key
# nobody can read the sealed parts of the database.
set -eu
folder="$(dirname "$0")/secrets"
# Others on this machine cannot enter it. The files inside are readable, as the services' user in the containers must read them.
mkdir -p "$folder"
chmod 700 "$folder"
umask 022
new() { [ -s "$folder/$1" ] || { openssl rand "$2" "$3" > "$folder/$1.new" && mv "$folder/$1.new" "$folder/$1"; }; }
new mesh-token -hex 32
new secrets-key -hex 32
new mongo-password -hex 32
new mongo-keyfile -base64 756
printf 'mongodb://cloudphone:%s@mongo:27017/?replicaSet=cloudphone&authSource=admin\n' "$(cat "$folder/mongo-password")" > "$folder/mongodb-url"
echo "The secrets are in $folder"
