# Completion of compactor for bash 4 and later. To install it for good:
#   mkdir -p ~/.local/share/bash-completion/completions
#   compactor completion bash > ~/.local/share/bash-completion/completions/compactor
# or, without the package bash-completion, this line in ~/.bashrc:
#   eval "$(compactor completion bash)"
_compactor() {
    local line kind=
    COMPREPLY=()
    while IFS= read -r line; do
        if [ -z "$kind" ]; then kind=$line; else COMPREPLY+=("${line%%$'\t'*}"); fi
    done < <(_COMPACTOR_COMPLETE=bash "$1" "${COMP_LINE:0:COMP_POINT}" 2>/dev/null)
    case $kind in
        files) compopt -o default ;;
        dirs) compopt -o dirnames ;;
        open) compopt -o nospace ;;
    esac
}
complete -F _compactor compactor
