# Calls each "METHOD URL SECONDS" of standard input through the proxy, and repeats a call that took longer.
while read -r method url seconds; do
  for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    printf '@@ %s %s\n' "$method" "$url"
    # By standard input: the arguments of a process show to every user.
    printf 'Touchstone-Token: %s\n' "$TOKEN" | curl -siLH @- -X "$method" -m "$seconds" "$PROXY/$url" && break
  done
  echo
done
